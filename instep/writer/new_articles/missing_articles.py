"""Articles that are missing for what a change adds, and drafts of those that it links to and describes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instep.core.name_matching import is_distinct
from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.new_articles.pages import AnnouncedPage, announced_pages
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.shapes import Change, Evidence, Proposal
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import key_of
from instep.writer.words.prose import heading_of, is_new, subject_of

_PROMISES_DOCUMENTATION = re.compile(
    r"(?:adds?|added|create[sd]?|writes?|new)\b(?:(?!\b(?:in|to|on)\b).)*\b(?:docs?|documentation|how-?to|guide"
    r"|tutorial)(?:\s+(?:for|about|on)\b|$)|(?:adds?|create[sd]?)\b.*\.mdx?$",
    re.IGNORECASE,
)
_MIN_NEED, _MAX_LEAD = 0.5, 0.3
_MIN_LINES, _MIN_TERMS = 90, 2
_MAX_NAMES = 12
_MAX_EXCERPT_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class MissingArticle:
    """An article that no one has written yet, and why.

    `page` is the page that the change links to, if it does; `additions` are names that the code describes.
    """

    reason: str
    page: AnnouncedPage | None
    additions: tuple[Addition, ...]


def find_missing_article(
    change: Change,
    change_set: ChangeSet,
    additions: Sequence[Addition],
    ranking: ArticleRanking,
    need: float,
    corpus: Corpus,
) -> MissingArticle | None:
    """The article that a change links to, promises, or needs for much that no article is near to."""
    pages = announced_pages(change_set, corpus)
    reason = _reason(pages, change, change_set, ranking, need)
    title = _title(pages[0]) if pages else heading_of(change.title) or subject_of(change.title)
    if not reason or not title or any(key_of(article.title) == key_of(title) for article in corpus.articles):
        return None
    return MissingArticle(reason, pages[0] if pages else None, tuple(_described(additions)))


def outline_of(missing: MissingArticle) -> Proposal | None:
    """A draft of a page that the change links to; None for another one, or if the code describes nothing.

    Much that is added without a page belongs into existing articles four times out of five.
    """
    if missing.page is None or not missing.additions:
        return None
    sources: list[SourceLine] = [missing.page.source, *(addition.source for addition in missing.additions)]
    return Proposal(
        type="new_article",
        article_id=None,
        title=_title(missing.page),
        text="".join(f"- `{addition.name}`: {addition.doc}\n" for addition in missing.additions),
        reason=missing.reason,
        evidence=tuple(
            Evidence(source.file, source.line, source.line, source.text[:_MAX_EXCERPT_CHARACTERS], None)
            for source in sources
        ),
        warnings=("An outline from the doc strings of the change: complete it.",),
    )


def summary_of_missing(missing: MissingArticle | None) -> list[str]:
    """A sentence for a reviewer about a missing article of which no draft can be made."""
    if missing is None or outline_of(missing):
        return []
    return [f"{missing.reason} Write one if readers need it."]


def _reason(
    pages: Sequence[AnnouncedPage],
    change: Change,
    change_set: ChangeSet,
    ranking: ArticleRanking,
    need: float,
) -> str | None:
    if pages:
        return f"The change links to a page `{pages[0].slug}` that is not an article yet."
    subject = subject_of(change.title)
    if _PROMISES_DOCUMENTATION.match(subject):
        return "The change says that it comes with documentation of its own."
    is_large = (
        _added_lines(change_set) >= _MIN_LINES and len(change_terms(heading_of(change.title))) >= _MIN_TERMS
    )
    if is_new(subject) and is_large and need >= _MIN_NEED and ranking.lead.get("lines", 0.0) < _MAX_LEAD:
        return "The change adds something large that no article stands out for."
    return None


def _added_lines(change_set: ChangeSet) -> int:
    files = [file for file in change_set.files if file.kind not in {"test", "internal"}]
    return sum(line.mark == "+" for file in files for line in file.patch.lines())


def _title(page: AnnouncedPage) -> str:
    return page.title or re.sub(r"[_-]+", " ", page.slug).strip().capitalize()


def _described(additions: Sequence[Addition]) -> list[Addition]:
    """The described names that users can refer to, by weight."""
    additions_by_name: dict[str, Addition] = {}
    for addition in additions:
        if addition.doc and not addition.name.startswith("_") and addition.kind != "assignment":
            additions_by_name.setdefault(addition.name, addition)
    ranking = sorted(
        additions_by_name.values(),
        key=lambda addition: (-addition.source.weight, not is_distinct(addition.name)),
    )
    return ranking[:_MAX_NAMES]
