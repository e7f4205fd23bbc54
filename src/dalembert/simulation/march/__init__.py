"""The march: equations, integrator and events compiled into one program, and the run that calls it in stretches."""
