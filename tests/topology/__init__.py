"""Tests of the room `topology`."""
