"""Turns repository paths in links of ported text into URLs of articles, if these are known."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from instep.drafting.writer.porting.counterparts import name_of
from instep.drafting.writer.shapes import Article

# The target of a link in Markdown, of an image, of a reference, and of an HTML attribute.
_TARGET = re.compile(
    r"(?P<open>!?\[[^\]\n]{0,300}\]\(<?|^ {0,3}\[[^\]\n]{1,300}\]:[ \t]+<?|\b(?:href|src)=[\"'])"
    r"(?P<target>[^\s)\"'<>]{1,500})",
    re.MULTILINE,
)
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|mp4|webm)(?:[?#]|$)", re.IGNORECASE)


class LinkResolver:
    """Resolves links between files by the article of the target file, or by its URL."""

    def __init__(self, articles: Sequence[Article], urls_by_path: Mapping[str, str]) -> None:
        self._by_path = {path: url for path, url in urls_by_path.items() if url}
        names: dict[str, list[str]] = {}
        for article in articles:
            if article.url:
                names.setdefault(article.url.rsplit("/", 1)[-1], []).append(article.url)
        self._by_name = {name: urls[0] for name, urls in names.items() if len(urls) == 1}

    def resolve(self, text: str, path: str, before: str) -> tuple[str, list[str]]:
        """The text of a file with URLs of articles, and a warning for each broken link.

        A target that the article (`before`) already links to is not changed.
        """
        old_targets = {match["target"] for match in _TARGET.finditer(before)}
        warnings: dict[str, None] = {}

        def replacement(match: re.Match[str]) -> str:
            target = match["target"]
            if target in old_targets or not _is_path(target):
                return match[0]
            if match["open"].startswith("!") or _PICTURE.search(target):
                warnings[f"The picture `{target}` is in the repository, not in the help center."] = None
                return match[0]
            url = self._url_of(target, path)
            if url is None:
                warnings[
                    f"The link `{target}` leads to a path of the repository: point it to an article."
                ] = None
                return match[0]
            return match["open"] + url

        return _TARGET.sub(replacement, text), list(warnings)

    def _url_of(self, target: str, path: str) -> str | None:
        file, _, fragment = target.partition("#")
        file = file.partition("?")[0]
        inner = posixpath.normpath(posixpath.join(posixpath.dirname(path), file.lstrip("/")))
        url = self._by_path.get(inner) or self._by_name.get(address_name(inner))
        return f"{url}#{fragment}" if url and fragment else url


def address_name(path: str) -> str:
    """The last name in the URL of an article whose source is the file with this path."""
    return name_of(path).lower().replace("_", "-")


def _is_path(target: str) -> bool:
    """True if a target is a path, not a URL, an anchor or a placeholder."""
    if target.startswith(("#", "//", "{", "$")):
        return False
    try:
        return not urlsplit(target).scheme
    except ValueError:
        return False
