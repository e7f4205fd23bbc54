"""MJCF: the model files of MuJoCo."""
