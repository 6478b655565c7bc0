"""The documentation site: `nox -s docs` builds it without warnings."""

from __future__ import annotations

import samesum

project = "samesum"
author = "The samesum developers"
project_copyright = "The samesum developers"
version = release = samesum.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"samesum {release}"
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
# Docstrings name arguments in single backticks, as Markdown does.
default_role = "code"
# Pages link to files of the repository that are no pages of the site.
suppress_warnings = ["myst.xref_missing"]
