"""Derivatives of compiled code times vectors: from the right (tangents, forward) and from the left (adjoints, backward)."""
