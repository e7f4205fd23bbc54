"""Constraint methods: A u̇ + Bᵀλ = f with B u̇ = γ, each solved in its own way, on numbers and in machine code."""
