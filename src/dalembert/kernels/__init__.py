"""The mechanics as machine code: what a mechanism can compute fast, on one state or on many."""
