"""Signals worked on: controllers, filters, limits, delays, samplers; one file each."""
