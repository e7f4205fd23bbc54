"""Right-hand sides ẏ = f(t, y) of the equations of motion, with their projection, Jacobian and sensitivities: one file each."""
