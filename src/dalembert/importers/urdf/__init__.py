"""URDF: links and joints of robots, as ROS and its relatives write them."""
