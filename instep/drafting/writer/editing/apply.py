"""Turns the pairs of a change into edits of articles, with the evidence for each edit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.articles.passages import line_of
from instep.drafting.writer.diffs.documentation import is_about_the_project
from instep.drafting.writer.editing.edits import Edit, EditReason, EditsByArticle, add_edit
from instep.drafting.writer.editing.occurrences import (
    MAX_READ_ARTICLES,
    Occurrence,
    is_plain_word,
    occurrences,
)
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.models import Models
from instep.drafting.writer.porting.ported_text import PortedText
from instep.drafting.writer.shapes import Article, Evidence, excerpt_of
from instep.platform.core.name_matching import mention

# An edit is drafted from the first bound on, and certain from the second on: see docs/quality.md.
MIN_LIKELY = 0.46
MIN_CERTAIN = 0.85
# Below this probability, a passage is more likely about something else.
_MIN_DOUBTFUL = 0.2
_MAX_ARTICLES = 10
# In the changes of the fit, all 51 edits of such names are right.
_PROVEN = 0.95
_MAX_EVIDENCE = 50
_MAX_COMPARED = 400


@dataclass(frozen=True, slots=True)
class FoundEdits:
    """The likely edits of a change, and those too doubtful to draft, best first for each article.

    `updated` has the articles that already state what is new, and no longer what was there before.
    """

    likely: EditsByArticle
    doubtful: Mapping[str, Sequence[Edit]]
    updated: frozenset[str]

    @property
    def surely_replaced(self) -> Iterator[str]:
        """The articles with a doubtful edit whose old text the change removes everywhere."""
        for article_id, edits in self.doubtful.items():
            if any(isinstance(edit.fact, Became) and edit.fact.signs["clean"] for edit in edits):
                yield article_id


def find_edits(pairs: Sequence[Became], corpus: Corpus, models: Models) -> FoundEdits:
    """All edits. If two overlap, the likelier one stays, or else the one with the longer old text."""
    edits_by_article: dict[str, list[Edit]] = {}
    for pair in pairs:
        by_article = dict(_edits_of(pair, corpus, models))
        likely = [i for i, edits in by_article.items() if edits[0].probability >= MIN_LIKELY]
        # A text in more articles probably refers to different things, unless it is a certain name.
        is_widespread = len(likely) > _MAX_ARTICLES and not pair.signs["clean name"]
        for article_id, edits in by_article.items():
            edits_by_article.setdefault(article_id, []).extend(() if is_widespread else edits)
    likely_edits, doubtful = EditsByArticle(), dict[str, Sequence[Edit]]()
    for article_id, edits in edits_by_article.items():
        chosen: list[Edit] = []
        for edit in sorted(edits, key=lambda edit: -edit.probability):
            if edit.probability >= MIN_LIKELY:
                add_edit(chosen, edit)
        if chosen:
            likely_edits[article_id] = chosen
        elif edits:
            doubtful[article_id] = sorted(edits, key=lambda edit: -edit.probability)
    return FoundEdits(likely_edits, doubtful, frozenset(_updated(pairs, corpus)))


def _updated(pairs: Sequence[Became], corpus: Corpus) -> Iterator[str]:
    for pair in pairs[:_MAX_COMPARED]:
        old_text, new_text = mention(pair.old), mention(pair.new)
        is_telling = pair.names or pair.signs["clean name"] or pair.signs["described"]
        articles = corpus.articles_with(" ".join([pair.new, *pair.names[:1]])) if is_telling else []
        for article in articles if len(articles) <= MAX_READ_ARTICLES else ():
            if new_text.search(article.text) and not old_text.search(article.text):
                yield article.id


def _edits_of(pair: Became, corpus: Corpus, models: Models) -> Iterator[tuple[str, list[Edit]]]:
    for article, places in occurrences(pair, corpus):
        weighed_places = [(place, place.probability or _probability(pair, place, models)) for place in places]
        # Half an edit is worse than none: a distinct name means the same thing everywhere in the article.
        surest = max((probability for _, probability in weighed_places), default=0.0)
        is_one_thing = pair.kind == "name" and not is_plain_word(pair)
        edits = [
            Edit(place.start, place.end, pair.new, pair, surest if is_one_thing else probability)
            for place, probability in weighed_places
            if (surest if is_one_thing else probability) >= _MIN_DOUBTFUL
        ]
        if edits:
            yield article.id, sorted(edits, key=lambda edit: -edit.probability)


def _probability(pair: Became, place: Occurrence, models: Models) -> float:
    """The probability of an edit: 1 for a distinct name that the change replaces everywhere."""
    signs = pair.signs
    is_told = signs["described"] and signs["distinct"] and not signs["left"]
    is_proven = is_told or (signs["clean name"] and signs["lines"] >= 1 and pair.old not in pair.new)
    return _PROVEN if is_proven else models.edit.probability(place.signs)


def with_ported(edits: EditsByArticle, texts: Mapping[str, Sequence[PortedText]]) -> EditsByArticle:
    """The edits, but an article whose text the change itself edits gets only that text.

    A README, which contains only a part of an article, does not count for the rest.
    """
    merged = dict(edits)
    for article_id, article_texts in texts.items():
        ported = [Edit(text.start, text.end, text.new, text) for text in article_texts]
        if all(is_about_the_project(source.file) for text in article_texts for source in text.sources):
            for edit in edits.get(article_id, ()):
                add_edit(ported, edit)
        merged[article_id] = ported
    return merged


def new_title(article: Article, edits: Sequence[Edit]) -> str:
    """The title from the change's documentation, or the old title with the text's new names."""
    titles = (edit.fact.new_title for edit in edits if isinstance(edit.fact, PortedText))
    title = next(filter(None, titles), article.title)
    for pair in {edit.fact: None for edit in edits if isinstance(edit.fact, Became)}:
        if pair.kind in {"name", "label"} and not mention(pair.new).search(title):
            title = mention(pair.old).sub(partial(_replaced, pair.new), title)
    return title


def _replaced(new: str, _: re.Match[str]) -> str:
    return new


def evidence_for(edits: Sequence[Edit], text: str) -> tuple[Evidence, ...]:
    """For each edit its strongest line of code, and its line in the edited text, without duplicates."""
    evidence, added_lines = list[Evidence](), 0
    for edit in edits[:_MAX_EVIDENCE]:
        source = best_source(edit.fact)
        line = line_of(text, edit.start) + added_lines + len(edit.new) - len(edit.new.lstrip("\n"))
        last_line = edit.fact.last_line if isinstance(edit.fact, PortedText) else source.line
        evidence.append(Evidence(source.file, source.line, last_line, excerpt_of(source.text), line))
        added_lines += edit.new.count("\n") - text.count("\n", edit.start, edit.end)
    return tuple(dict.fromkeys(evidence))


def best_source(fact: EditReason) -> SourceLine:
    return max(fact.sources, key=lambda source: source.weight)
