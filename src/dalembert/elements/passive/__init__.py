"""What resists: friction, bushings, air; one file each."""
