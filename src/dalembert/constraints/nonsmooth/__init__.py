"""What happens at an event, on numbers: complementarity problems, impacts, and the mode in which a motion goes on."""
