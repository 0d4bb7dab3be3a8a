"""Parts of articles that need more than the styles and the script of all pages."""

import re
from dataclasses import dataclass

from markupsafe import escape

from instep.platform.web.catalogues import catalogue_of, message

PARTS = re.compile(r'class="markdown-(?:tab|step|card|video)|<figure\b|<math\b|-mode-only"')
VIDEO = 'class="markdown-video"'
# The players that videos load after a click: frontend/src/site/videos.js.
VIDEO_PLAYERS = "https://www.youtube-nocookie.com https://player.vimeo.com https://www.loom.com"
DIAGRAM = re.compile(r'<pre\b[^>]*><code class="language-mermaid">.*?</code></pre>', re.DOTALL)
LABEL = message("Diagram, as Mermaid source")


@dataclass(frozen=True, slots=True)
class RichParts:
    """Whether a page has such parts, and what its security policy allows for them."""

    is_rich: bool
    policy: str

    @classmethod
    def of(cls, html: str) -> "RichParts":
        has_videos = VIDEO in html
        return cls(
            PARTS.search(html) is not None,
            f"; frame-src {VIDEO_PLAYERS}; media-src 'self'" if has_videos else "",
        )


def fold_diagrams(html: str, locale: str) -> str:
    """Mermaid diagrams as their source, folded below a word that says what it is."""
    label = escape(catalogue_of(locale).gettext(LABEL))
    return DIAGRAM.sub(lambda source: f"<details><summary>{label}</summary>{source[0]}</details>", html)
