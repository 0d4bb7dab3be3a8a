"""An outline of a new article for what a change adds and no article covers."""

import re
from collections.abc import Sequence

from instep.core.name_matching import is_distinct
from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.additions import Addition
from instep.writer.inserting.notes import first_source
from instep.writer.new_articles.pages import AnnouncedPage, announced_pages
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.shapes import Change, Evidence, Proposal
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import key_of
from instep.writer.words.prose import heading_of, is_new, sentence_of, subject_of

_PROMISES_DOCUMENTATION = re.compile(
    r"(?:adds?|added|create[sd]?|writes?|new)\b(?:(?!\b(?:in|to|on)\b).)*\b(?:docs?|documentation|how-?to|guide"
    r"|tutorial)(?:\s+(?:for|about|on)\b|$)|(?:adds?|create[sd]?)\b.*\.mdx?$",
    re.IGNORECASE,
)
_MIN_NEED, _MAX_LEAD = 0.5, 0.3
_MIN_LINES, _MIN_TERMS = 90, 2
_MAX_NAMES = 12
_MAX_EXCERPT_CHARACTERS = 300


def new_article_for(
    change: Change,
    change_set: ChangeSet,
    additions: Sequence[Addition],
    ranking: ArticleRanking,
    need: float,
    corpus: Corpus,
) -> Proposal | None:
    """A new article if the change links to one, promises documentation, or adds much that none covers."""
    pages = announced_pages(change_set, corpus)
    reason = _reason(pages, change, change_set, ranking, need)
    title = _title(pages, change)
    if not reason or not title or any(key_of(article.title) == key_of(title) for article in corpus.articles):
        return None
    described = _described(additions)
    sources = [page.source for page in pages[:1]] + [addition.source for addition in described]
    return Proposal(
        type="new_article",
        article_id=None,
        title=title,
        text=_text(change, described),
        reason=reason,
        evidence=tuple(
            Evidence(source.file, source.line, source.line, source.text[:_MAX_EXCERPT_CHARACTERS], None)
            for source in sources or first_source(change_set)
        ),
        warnings=("An outline from the title and the doc strings of the change: complete it.",),
    )


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


def _title(pages: Sequence[AnnouncedPage], change: Change) -> str:
    if pages and pages[0].title:
        return pages[0].title
    slug_words = re.sub(r"[_-]+", " ", pages[0].slug).strip().capitalize() if pages else ""
    return (
        heading_of(change.title)
        or slug_words
        or subject_of(change.title)[:1].upper() + subject_of(change.title)[1:]
    )


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


def _text(change: Change, described: Sequence[Addition]) -> str:
    lead = sentence_of(change.title) or subject_of(change.title)
    if not described:
        return f"{lead}\n"
    items = "\n".join(f"- `{addition.name}`: {addition.doc}" for addition in described)
    return f"{lead}\n\n## Reference\n\n{items}\n"
