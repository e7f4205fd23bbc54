"""Commands that make many runs."""
