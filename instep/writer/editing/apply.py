"""From the facts of a change to the edited text of an article, with the evidence for each edit."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from instep.writer.articles.corpus import Corpus
from instep.writer.articles.passages import line_of
from instep.writer.editing.edits import Edit, EditReason, edits_for
from instep.writer.editing.examples import ExampleEdit
from instep.writer.facts.changed_texts import Source
from instep.writer.facts.collect import Fact
from instep.writer.facts.renames import Rename
from instep.writer.shapes import Article, Evidence

# These tell what was true at a time: an edit would make them false.
_RECORD = re.compile(r"\b(?:change ?log|release notes|what['\u2019]s new|version history)\b", re.IGNORECASE)
_MOST_EVIDENCE = 50
_EXCERPT = 300


def find_edits(facts: Sequence[Fact], corpus: Corpus) -> dict[str, list[Edit]]:
    """All certain places, by article; of overlapping ones the first stays (facts come in order of trust)."""
    found: dict[str, list[Edit]] = {}
    for fact in facts:
        for article in corpus.with_words(fact.old):
            if not is_record(article):
                for place in edits_for(fact, article, corpus):
                    add_edit(found.setdefault(article.id, []), place)
    return {article_id: places for article_id, places in found.items() if places}


def add_example_edits(
    found: dict[str, list[Edit]], copies: Mapping[str, Sequence[ExampleEdit]], corpus: Corpus
) -> None:
    """Lines of code say more than a name or a value in them, and so come first."""
    for article in corpus.articles:
        if article.id in copies and not is_record(article):
            known, places = found.get(article.id, []), list[Edit]()
            for copy in copies[article.id]:
                add_edit(places, Edit(copy.start, copy.end, copy.new, copy))
            for place in known:
                add_edit(places, place)
            found[article.id] = places


def is_record(article: Article) -> bool:
    return bool(_RECORD.search(article.title))


def add_edit(places: list[Edit], place: Edit) -> None:
    at = bisect_right(places, place.start, key=lambda other: other.start)
    is_free_before = at == 0 or places[at - 1].end <= place.start
    if is_free_before and (at == len(places) or place.end <= places[at].start):
        places.insert(at, place)


def apply(places: Sequence[Edit], text: str) -> str:
    """The text with each place replaced and nothing else touched."""
    parts, at = list[str](), 0
    for place in places:
        parts += text[at : place.start], place.new
        at = place.end
    return "".join([*parts, text[at:]])


def new_title(article: Article, places: Sequence[Edit], corpus: Corpus) -> str:
    """The title under the new names that the text gets."""
    title = article.title
    for fact in {place.fact: None for place in places if isinstance(place.fact, Rename)}:
        inside = Article(article.id, "", title)
        title = apply(sorted(edits_for(fact, inside, corpus), key=lambda place: place.start), title)
    return title


def evidence_for(places: Sequence[Edit], text: str) -> tuple[Evidence, ...]:
    """Per edit the best line of code behind it, and the line it stands on in the edited text."""
    found, moved = list[Evidence](), 0
    for place in places[:_MOST_EVIDENCE]:
        source = best_source(place.fact)
        line = line_of(text, place.start) + moved + len(place.new) - len(place.new.lstrip("\n"))
        found.append(Evidence(source.file, source.line, source.line, source.text[:_EXCERPT], line))
        moved += place.new.count("\n") - text.count("\n", place.start, place.end)
    return tuple(found)


def best_source(fact: EditReason) -> Source:
    return max(fact.sources, key=lambda source: source.weight)
