"""Right-hand sides with laws: rows that hold at times, masked by the mode of a run."""
