"""Small motions about a state: equations to first order, linearisation, modes."""
