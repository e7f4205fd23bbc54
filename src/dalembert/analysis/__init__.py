"""Questions asked of a whole mechanism."""
