"""What drives: motors, cylinders, wheels, jets; one file each."""
