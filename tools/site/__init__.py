"""The documentation as a site: `make docs`.

`build.py` gathers the texts of `docs/`, the pages made from code (`python_reference.py`, `command_reference.py`, `file_reference.py`,
`gallery_page.py`), live models (`live.py`) and notebooks (`notebooks.py`) in one folder, and Sphinx makes the site of it.
"""
