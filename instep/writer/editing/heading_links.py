"""Links to headings that the edits of a change rename: in the same article, and in others."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from instep.writer.articles.corpus import Corpus
from instep.writer.articles.headings import headings_of
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.porting.counterparts import name_of
from instep.writer.shapes import Article

_LINK = re.compile(
    r"(?:\]\(<?|^ {0,3}\[[^\]\n]{1,300}\]:[ \t]+<?|\bhref=[\"'])"
    r"(?P<page>[^\s)\"'<>#]{0,500})#(?P<fragment>[^\s)\"'<>]{1,200})",
    re.MULTILINE,
)
_EXPLICIT_ID = re.compile(r"\{[:\s]*#([\w.-]+)[^{}]*\}\s*$")
_PUNCTUATION = re.compile(r"[^\w\s-]")
# The site puts this before the fragments of headings, so that they can't be taken for parts of the page.
_SITE_PREFIX = "h-"
# How help centers make fragments of headings: as GitHub does, or with one hyphen between words or parts.
_FRAGMENTS: tuple[Callable[[str], str], ...] = (
    lambda title: re.sub(r"\s", "-", _PUNCTUATION.sub("", title.lower()).strip()),
    lambda title: re.sub(r"[\s-]+", "-", _PUNCTUATION.sub("", title.lower()).strip()),
    lambda title: re.sub(r"\W+", "-", title.lower()).strip("-"),
    lambda title: re.sub(r"[\W_]+", "-", title.lower()).strip("-"),
)


@dataclass(frozen=True, slots=True)
class RenamedHeading:
    """A heading of an article before and after the edits, and the lines of code behind them."""

    article_id: str
    old: str
    new: str
    sources: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class HeadingLink:
    """The fragment of a link, which follows the heading that it leads to, and its offsets."""

    old: str
    new: str
    start: int
    end: int
    sources: tuple[SourceLine, ...]


def fragments_of(title: str) -> tuple[str, ...]:
    """The fragments by which links may lead to a heading, or to one that has this text in it."""
    return tuple(dict.fromkeys(fragment_of(title) for fragment_of in _FRAGMENTS))


def renamed_headings(article: Article, edited_text: str) -> Iterator[RenamedHeading]:
    """The headings that differ in a text which has the same headings in the same order."""
    before, after = headings_of(article.text), headings_of(edited_text)
    if len(before) == len(after):
        for old, new in zip(before, after, strict=True):
            old_line = _line_at(article.text, old.start)
            new_line = _line_at(edited_text, new.start)
            if old_line != new_line and old.mark.startswith("#"):
                yield RenamedHeading(article.id, old_line, new_line)


def _line_at(text: str, start: int) -> str:
    return text[start : text.find("\n", start) % (len(text) + 1)].strip().strip("#").strip()


def heading_links(renamed: Sequence[RenamedHeading], corpus: Corpus) -> Iterator[tuple[Article, HeadingLink]]:
    """The links to renamed headings, with the article that has them."""
    if not renamed:
        return
    by_article: dict[str, list[RenamedHeading]] = {}
    for heading in renamed:
        by_article.setdefault(heading.article_id, []).append(heading)
    articles_by_name = _articles_by_name(corpus.articles)
    for article in corpus.articles:
        for match in _LINK.finditer(article.text):
            target = _target(article, match["page"], articles_by_name)
            links = (_followed(match, heading) for heading in by_article.get(target.id if target else "", ()))
            link = next(filter(None, links), None)
            if link:
                yield article, link


def _followed(match: "re.Match[str]", heading: RenamedHeading) -> HeadingLink | None:
    new = _new_fragment(match["fragment"], heading)
    return HeadingLink(match["fragment"], new, *match.span("fragment"), heading.sources) if new else None


def _articles_by_name(articles: Sequence[Article]) -> dict[str, Article | None]:
    """The articles by the last part of their address or path; None for a name that several have."""
    by_name: dict[str, Article | None] = {}
    for article in articles:
        name = name_of(urlsplit(article.url).path or article.id)
        by_name[name] = None if name in by_name else article
    return by_name


def _target(article: Article, page: str, articles_by_name: Mapping[str, Article | None]) -> Article | None:
    """The article that a link leads to, if it is one of these."""
    if not page:
        return article
    try:
        address = urlsplit(page)
    except ValueError:
        return None
    target = articles_by_name.get(name_of(address.path.rstrip("/")))
    if target and address.netloc and urlsplit(target.url).netloc != address.netloc:
        return None
    return target


def _new_fragment(fragment: str, heading: RenamedHeading) -> str | None:
    """The fragment after the rename; None if the link leads to another heading."""
    old_id, new_id = _EXPLICIT_ID.search(heading.old), _EXPLICIT_ID.search(heading.new)
    if old_id:
        return new_id[1] if new_id and old_id[1] == fragment != new_id[1] else None
    prefix = _SITE_PREFIX if fragment.startswith(_SITE_PREFIX) else ""
    for fragment_of in _FRAGMENTS:
        if fragment_of(heading.old) == fragment.removeprefix(prefix):
            new = prefix + fragment_of(heading.new)
            return new if new != fragment else None
    return None
