"""Sphinx's configuration of the documentation site. scripts/site.sh builds it, from the tree that stage.py arranges."""

import os
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
numbers = re.findall(r"#define CLSOLVE_VERSION_\w+ +(\d+)", (root / "include/clsolve/version.h").read_text())
sys.path.insert(0, str(root / "python"))

project = "libclsolve"
author = "libclsolve maintainers"
release = version = ".".join(numbers)
language = "en"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "index"
nitpicky = True  # names of this project that lead nowhere are errors; those of others have no page here
nitpick_ignore_regex = [("c:.*", r"(?!clsolve_|CLSOLVE_).*"), ("py:.*", r"(?!clsolve).*")]
exclude_patterns = []
highlight_language = "none"
default_role = "code"  # docstrings and Markdown have one pair of backquotes for code
smartquotes = False

myst_heading_anchors = 4

breathe_projects = {"clsolve": os.environ["SITE_XML"]}
breathe_default_project = "clsolve"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_show_enumvalue_initializer = True

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"

html_theme = "furo"
html_title = f"libclsolve {version}"
html_static_path = [str(root / "docs/site/static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def bundle_theme_script(app, exception):
    """Puts the two parts of the theme's script into one file: Debian's package leaves an import, which fails."""
    scripts = Path(app.outdir) / "_static/scripts"
    script = scripts / "furo.js"
    begin = 'import Gumshoe from "./gumshoe-patched.js";\n'
    if exception is None and script.exists() and script.read_text().startswith(begin):
        script.write_text((scripts / "gumshoe-patched.js").read_text() + script.read_text().removeprefix(begin))


def setup(app):
    app.connect("build-finished", bundle_theme_script)
