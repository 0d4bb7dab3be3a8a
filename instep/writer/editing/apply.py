"""From the facts of a change to the edited text of an article, with the evidence for each edit."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from instep.core.name_matching import is_distinct
from instep.writer.articles.commands import foreign_programs, program_at
from instep.writer.articles.corpus import Corpus
from instep.writer.articles.passages import line_of
from instep.writer.diffs.documentation import is_about_the_project
from instep.writer.editing.edits import Edit, EditReason, EditsByArticle, edits_for
from instep.writer.editing.example_edits import ExampleEdit
from instep.writer.editing.heading_links import RenamedHeading, heading_links, renamed_headings
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.collect import Fact
from instep.writer.facts.renames import Rename
from instep.writer.facts.rewordings import Rewording
from instep.writer.porting.ported_text import PortedText
from instep.writer.shapes import Article, Evidence

# Records describe what was true at a time: an edit would make them false.
_RECORD = re.compile(r"\b(?:change ?log|release notes|what['\u2019]s new|version history)\b", re.IGNORECASE)
# A text that more articles have is probably said of different things.
_MAX_ARTICLES, _MAX_WITH_PHRASE, _MANY_SOURCES = 10, 3, 5
_MAX_EVIDENCE = 50
_FLAG = re.compile(r"--[a-z][\w-]+")
_OWN_NAME = re.compile(r"--[a-z]\w*-[\w-]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_MAX_EXCERPT_CHARACTERS = 300


def find_edits(facts: Sequence[Fact], corpus: Corpus, likely_ids: Collection[str]) -> EditsByArticle:
    """All certain edits; of overlapping ones the first stays, because facts come in order of trust.

    The word of one button, which several articles have, and a part of a message are edited in those alone
    that the change concerns: the likely ones, and those with another edit.
    """
    edits: EditsByArticle = {}
    for fact in sorted(facts, key=_needs_concern):
        foreign = _foreign_programs(fact, corpus)
        by_article = {
            article.id: [
                edit
                for edit in edits_for(fact, article, corpus)
                if not foreign or program_at(article.text, edit.start) not in foreign
            ]
            for article in corpus.articles_with(fact.old)
            if not is_record(article)
        }
        article_ids = [article_id for article_id, article_edits in by_article.items() if article_edits]
        if _needs_concern(fact) and len(article_ids) > _most_articles(fact):
            concerned_ids = {*likely_ids, *edits}
            article_ids = [article_id for article_id in article_ids if article_id in concerned_ids]
        if len(article_ids) <= _MAX_ARTICLES or _is_beyond_doubt(fact):
            for article_id in article_ids:
                for edit in by_article[article_id]:
                    add_edit(edits.setdefault(article_id, []), edit)
    return {article_id: article_edits for article_id, article_edits in edits.items() if article_edits}


def _needs_concern(fact: Fact) -> bool:
    """Whether other articles may say the same of something else."""
    return (isinstance(fact, Rename) and fact.needs_concern) or (isinstance(fact, Rewording) and fact.is_part)


def _most_articles(fact: Fact) -> int:
    """How many articles may have the text of a fact, so that all of them mean what the change does."""
    if isinstance(fact, Rename):
        # A phrase is that of the interface where several lines rename it and hardly any article says it.
        if fact.is_phrase:
            return _MAX_WITH_PHRASE if len(fact.sources) > 1 else 0
        return 1
    return 0


def _foreign_programs(fact: Fact, corpus: Corpus) -> frozenset[str]:
    """Programs that have a flag of the same name as the one that the change renames."""
    if isinstance(fact, Rename) and _FLAG.fullmatch(fact.old):
        return foreign_programs(fact.old, corpus)
    return frozenset()


def _is_beyond_doubt(fact: Fact) -> bool:
    """Whether a fact may edit any number of articles.

    That is a renamed environment variable or flag of several words, which is the same thing wherever it is
    written, and a distinct name that many lines rename.
    """
    if not isinstance(fact, Rename):
        return False
    is_own_name = bool(_OWN_NAME.fullmatch(fact.old))
    return is_own_name or (is_distinct(fact.old) and len(fact.sources) >= _MANY_SOURCES)


def add_example_edits(
    edits: EditsByArticle, examples: Mapping[str, Sequence[ExampleEdit]], corpus: Corpus
) -> None:
    """Adds the edits of examples before the others: a line of code says more than a name in it."""
    for article in corpus.articles:
        if article.id in examples and not is_record(article):
            article_edits: list[Edit] = []
            for example in examples[article.id]:
                add_edit(article_edits, Edit(example.start, example.end, example.new, example))
            for edit in edits.get(article.id, []):
                add_edit(article_edits, edit)
            edits[article.id] = article_edits


def add_heading_links(edits: EditsByArticle, corpus: Corpus) -> None:
    """Adds the edits of links to headings that the edits rename, in all articles."""
    for article, link in heading_links(list(_renamed_headings(edits, corpus)), corpus):
        if not is_record(article):
            add_edit(edits.setdefault(article.id, []), Edit(link.start, link.end, link.new, link))


def _renamed_headings(edits: EditsByArticle, corpus: Corpus) -> Iterator[RenamedHeading]:
    for article in corpus.articles:
        renames = [edit for edit in edits.get(article.id, ()) if isinstance(edit.fact, Fact)]
        for heading in renamed_headings(article, apply(renames, article.text)) if renames else ():
            fact = next((edit.fact for edit in renames if edit.fact.old in heading.old), renames[0].fact)
            yield replace(heading, sources=fact.sources)


def with_ported(edits: EditsByArticle, texts: Mapping[str, Sequence[PortedText]]) -> EditsByArticle:
    """The edits, where an article whose text the change edits itself gets that text and nothing else.

    A read-me, which has only a part of an article, doesn't speak for the rest of it.
    """
    merged = dict(edits)
    for article_id, article_texts in texts.items():
        ported = [Edit(text.start, text.end, text.new, text) for text in article_texts]
        if all(is_about_the_project(source.file) for text in article_texts for source in text.sources):
            for edit in edits.get(article_id, ()):
                add_edit(ported, edit)
        merged[article_id] = ported
    return merged


def is_record(article: Article) -> bool:
    """Whether an article is a record of past versions, such as a change log."""
    return bool(_RECORD.search(article.title))


def add_edit(edits: list[Edit], edit: Edit) -> None:
    """Inserts an edit in the order of places, unless it overlaps one that is there."""
    index = bisect_right(edits, edit.start, key=lambda other: other.start)
    is_free_before = index == 0 or edits[index - 1].end <= edit.start
    if is_free_before and (index == len(edits) or edit.end <= edits[index].start):
        edits.insert(index, edit)


def apply(edits: Sequence[Edit], text: str) -> str:
    """The text with each span replaced and nothing else touched."""
    parts, end = list[str](), 0
    for edit in edits:
        parts += text[end : edit.start], edit.new
        end = edit.end
    return "".join([*parts, text[end:]])


def new_title(article: Article, edits: Sequence[Edit], corpus: Corpus) -> str:
    """The title that the change's documentation gives, or the title with the renames that the text gets."""
    titles = (edit.fact.new_title for edit in edits if isinstance(edit.fact, PortedText))
    title = next(filter(None, titles), article.title)
    for fact in {edit.fact: None for edit in edits if isinstance(edit.fact, Rename)}:
        title_only = Article(article.id, "", title)
        title = apply(sorted(edits_for(fact, title_only, corpus), key=lambda edit: edit.start), title)
    return title


def evidence_for(edits: Sequence[Edit], text: str) -> tuple[Evidence, ...]:
    """Per edit the weightiest line of code behind it, and its line in the edited text, each pair once."""
    evidence, added_lines = list[Evidence](), 0
    for edit in edits[:_MAX_EVIDENCE]:
        source = best_source(edit.fact)
        line = line_of(text, edit.start) + added_lines + len(edit.new) - len(edit.new.lstrip("\n"))
        last_line = edit.fact.last_line if isinstance(edit.fact, PortedText) else source.line
        excerpt = source.text[:_MAX_EXCERPT_CHARACTERS]
        evidence.append(Evidence(source.file, source.line, last_line, excerpt, line))
        added_lines += edit.new.count("\n") - text.count("\n", edit.start, edit.end)
    return tuple(dict.fromkeys(evidence))


def best_source(fact: EditReason) -> SourceLine:
    return max(fact.sources, key=lambda source: source.weight)
