"""SDFormat: models and worlds of Gazebo, Drake and their relatives."""
