"""Results: `Motion`, and everything that is computed from its samples: energies, momenta, reactions, loads inside beams."""
