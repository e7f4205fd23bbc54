"""The march of mechanisms with laws by fixed steps over everything that happens."""
