"""Commands about the methods by which equations are written."""
