"""What transmits motion by tension: belts, cables, muscles; one file each."""
