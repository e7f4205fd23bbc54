"""Settings of Sphinx. `make docs` gathers all sources of the site first (`tools/site/build.py`), this file among them."""

from dalembert.version import __version__

project = "dalembert"
author = "The dalembert developers"
copyright = "The dalembert developers"
version = release = __version__

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
exclude_patterns = ["conf.py"]
html_extra_path = ["../extra"]

html_theme = "furo"
html_title = f"dalembert {version}"
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\$ "
copybutton_prompt_is_regexp = True
