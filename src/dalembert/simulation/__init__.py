"""March: compiled integrators, events, controllers, and the `Motion` they give."""
