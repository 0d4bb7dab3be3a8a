"""Parts of articles that need more than the styles and the script of all pages."""

import re
from dataclasses import dataclass

from instep.platform.web.diagrams import MERMAID

PARTS = re.compile(r'class="markdown-(?:tab|step|card|video)|<figure\b|<math\b|-mode-only"')
VIDEO = 'class="markdown-video"'
# The players that videos load after a click: frontend/src/site/videos.js.
VIDEO_PLAYERS = "https://www.youtube-nocookie.com https://player.vimeo.com https://www.loom.com"


@dataclass(frozen=True, slots=True)
class RichParts:
    """The parts of a page that need more, and the exceptions of its security policy for them."""

    is_rich: bool
    has_diagrams: bool
    policy: str

    @classmethod
    def of(cls, html: str) -> "RichParts":
        has_videos, has_diagrams = VIDEO in html, MERMAID in html
        frames = " ".join(["'self'"] * has_diagrams + [VIDEO_PLAYERS] * has_videos)
        policy = f"; frame-src {frames}" if frames else ""
        return cls(
            PARTS.search(html) is not None or has_diagrams,
            has_diagrams,
            f"{policy}; media-src 'self'" if has_videos else policy,
        )
