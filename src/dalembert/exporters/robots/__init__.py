"""Mechanisms as the robot files of other programs: URDF, MJCF, SDF.

`robot_tree.py` says a mechanism as links on joints in a row; each format has its writer. What a format cannot say is listed, never lost
silently. To add one: write its file and add it to `WRITERS` in `robot_file.py`.
"""

from dalembert.exporters.robots.robot_file import ExportedRobot, export_robot

__all__ = ["ExportedRobot", "export_robot"]
