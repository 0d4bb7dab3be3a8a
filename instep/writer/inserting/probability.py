"""How likely an addition belongs where an article lists its siblings."""

from dataclasses import dataclass
from math import log

from instep.core.logistic import LogisticModel
from instep.writer.articles.headings import heading_over
from instep.writer.facts.additions import Addition
from instep.writer.inserting.siblings import InsertionPoint
from instep.writer.words.identifiers import key_of, parts_of

# Fitted on six products. Leave-one-product-out validation scored about the same (docs/quality.md).
_MODEL = LogisticModel(
    {
        "first": 1.1,
        "third": -0.9,
        "coverage": 1.3,
        "known": 0.75,
        "in_title": 1.0,
        "described": 0.4,
        "mentioned": 0.5,
        "exact": 1.0,
        "matches_heading": 0.5,
        "local": -0.7,
        "need": 0.45,
        "size": 0.5,
        "visible": 0.6,
        "item": -0.8,
    },
    -4.65,
)
_MAX_KNOWN = 5


@dataclass(frozen=True, slots=True)
class InsertionContext:
    """The text and rank (from 0) of an article, and the need (0 to 1) and title of the change."""

    text: str
    rank: int
    need: float
    title: str


def insertion_probability(addition: Addition, point: InsertionPoint, context: InsertionContext) -> float:
    """The probability that people insert the new name at such a point."""
    return _MODEL.probability(_features(addition, point, context))


def _features(addition: Addition, point: InsertionPoint, context: InsertionContext) -> dict[str, float]:
    sibling_keys = {key_of(sibling.name) for sibling in (*addition.before, *addition.after)}
    return {
        "first": float(context.rank == 0),
        "third": float(context.rank > 1),
        "coverage": point.known_siblings / max(1, len(sibling_keys)),
        "known": min(point.known_siblings, _MAX_KNOWN) / _MAX_KNOWN,
        "in_title": float(set(parts_of(addition.name)) <= set(parts_of(context.title))),
        "described": float(bool(addition.doc)),
        "mentioned": float(addition.name in context.text),
        "exact": float(point.label == addition.name),
        "matches_heading": float(matches_heading(addition, point, context.text)),
        "local": float(addition.kind == "assignment" and addition.indent > 0),
        "need": context.need,
        "size": min(3.0, log(len(point.entry_list.entries))),
        "visible": float(addition.source.weight > 1),
        "item": float(point.entry_list.kind == "item"),
    }


def matches_heading(addition: Addition, point: InsertionPoint, text: str) -> bool:
    """Whether the heading above the list shares a word with the code around the definition."""
    start = point.entry_list.entries[0].start
    heading_words = parts_of(heading_over(text, start - 1)) if start else []
    return not set(heading_words).isdisjoint(parts_of(addition.context) + parts_of(addition.source.file))
