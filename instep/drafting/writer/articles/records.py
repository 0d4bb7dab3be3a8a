"""Articles that record past versions, such as a change log: an edit would make them false."""

import re

from instep.drafting.writer.shapes import Article

_RECORD = re.compile(r"\b(?:change ?log|release notes|what['\u2019]s new|version history)\b", re.IGNORECASE)


def is_record(article: Article) -> bool:
    """True if the title says that the article describes a past state."""
    return bool(_RECORD.search(article.title))
