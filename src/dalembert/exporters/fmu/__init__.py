"""FMUs: `model_description.py` writes modelDescription.xml, `compile_c.py` finds compilers, `archive.py` puts everything together."""
