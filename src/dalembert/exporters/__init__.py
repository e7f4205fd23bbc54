"""What is compiled here, taken along: C libraries and FMUs.

`exported_model.py` gathers what a model needs elsewhere, `c_library.py` writes it as C, `fmu/` makes FMUs of that.
"""

from dalembert.exporters.export import export_c, export_fmu, exported_name

__all__ = ["export_c", "export_fmu", "exported_name"]
