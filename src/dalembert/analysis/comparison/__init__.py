"""Formulations and constraint methods compared: agreement, size, time."""
