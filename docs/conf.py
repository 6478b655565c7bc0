"""The documentation site: `nox -s docs` builds it without warnings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.addnodes import pending_xref

import samesum

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "samesum"
author = "The samesum developers"
project_copyright = "The samesum developers"
version = release = samesum.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
# Pages under names that others may still link to.
html_extra_path = ["moved"]
html_theme = "furo"
html_title = f"samesum {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
# Signatures name these types; NumPy's own spell out dozens of protocols.
autodoc_type_aliases = {
    name: name for name in ("ArrayLike", "DTypeLike", "NDArray", "Result", "Axes", "Dtype", "Source")
}
# Docstrings name arguments in single backticks, as Markdown does.
default_role = "code"

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/samesum/samesum"
INCLUDED = {"NUMERICS.md": "numerics", "CHANGELOG.md": "changelog", "ARCHITECTURE.md": "architecture"}
"""Files of the repository that are pages of the site."""


def setup(app: Sphinx) -> None:
    """Links to files of the repository and names of types take their last form."""
    app.connect("doctree-read", to_repository)
    app.connect("autodoc-process-signature", with_plain_names)


def with_plain_names(*event: Any) -> tuple[str | None, ...]:
    """In unions Sphinx shows a type alias as the object that stands for it."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in event[-2:])


def to_repository(_: Sphinx, doctree: nodes.document) -> None:
    """Links to files of the repository lead to the page that holds them, or to the repository itself."""
    for link in list(doctree.findall(pending_xref)):
        name = _name(link)
        page = INCLUDED.get(name) or (name.removeprefix("docs/") if name.startswith("docs/") else "")
        if page:
            link.attributes.update({"refdomain": "doc", "reftarget": page.removesuffix(".md"), "reftargetid": None})
        elif name:
            link.replace_self(nodes.reference("", "", *link.children, refuri=f"{REPOSITORY}/blob/main/{name}"))


def _name(link: pending_xref) -> str:
    """The path in the repository of what MyST finds no page for, empty for any other link."""
    target = Path(link["reftarget"])
    if link.get("reftype") != "myst" or (link["refdomain"] == "doc" and not target.is_absolute()):
        return ""
    path = target.with_name(f"{target.name}.md") if target.is_absolute() else ROOT / target
    return path.relative_to(ROOT).as_posix() if path.exists() else ""
