"""Marching with laws: margins that end a mode, where they do, and what comes of it."""
