"""Assembly: coordinates and speeds that close the loops."""
