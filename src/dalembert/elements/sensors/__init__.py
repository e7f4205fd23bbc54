"""Sensors: outputs as an instrument gives them; one file each."""
