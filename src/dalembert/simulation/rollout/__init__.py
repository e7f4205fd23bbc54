"""Motions by fixed steps, with derivatives of the steps themselves: forward along directions, backward from weights."""
