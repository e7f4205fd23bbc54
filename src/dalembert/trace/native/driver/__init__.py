"""Driver language: loops, branches, variables, memory and calls around straight-line code."""
