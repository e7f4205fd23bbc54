"""Tests of the folder `tools`."""
