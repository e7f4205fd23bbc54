"""What can be said about a mechanism besides its motion."""
