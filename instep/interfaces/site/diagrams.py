"""Mermaid diagrams: their source, folded below a word that says what it is.

Drawing them takes a script of several megabytes that writes styles into the page, which the pages'
security policy forbids.
"""

import re

from markupsafe import escape

from instep.platform.web.catalogues import catalogue_of, message

DIAGRAM = re.compile(r'<pre\b[^>]*><code class="language-mermaid">.*?</code></pre>', re.DOTALL)
LABEL = message("Diagram, as Mermaid source")


def fold_diagrams(html: str, locale: str) -> str:
    label = escape(catalogue_of(locale).gettext(LABEL))
    return DIAGRAM.sub(lambda source: f"<details><summary>{label}</summary>{source[0]}</details>", html)
