"""Mermaid diagrams in rendered articles: their source, which a script draws in the browser."""

import re

from markupsafe import escape

from instep.platform.web.catalogues import catalogue_of, message

MERMAID = '<code class="language-mermaid">'
DIAGRAM = re.compile(rf"<pre\b[^>]*>{MERMAID}.*?</code></pre>", re.DOTALL)
LABEL = message("Diagram, as Mermaid source")


def fold_diagrams(html: str, locale: str) -> str:
    """Mermaid diagrams as their source, folded below a word that says what it is."""
    label = escape(catalogue_of(locale).gettext(LABEL))
    return DIAGRAM.sub(lambda source: f"<details><summary>{label}</summary>{source[0]}</details>", html)
