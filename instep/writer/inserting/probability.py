"""How likely it is that something new belongs where an article lists its siblings."""

from dataclasses import dataclass
from math import log

from instep.core.logistic import LogisticModel
from instep.writer.articles.passages import heading_over
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
        "titled": 1.0,
        "told": 0.4,
        "mentioned": 0.5,
        "exact": 1.0,
        "headed": 0.5,
        "local": -0.7,
        "need": 0.45,
        "size": 0.5,
        "visible": 0.6,
        "item": -0.8,
    },
    -4.65,
)
_MOST_KNOWN = 5


@dataclass(frozen=True, slots=True)
class InsertionContext:
    """The article around a spot: its text, its rank for the change, and how much the change needs an edit."""

    text: str
    rank: int
    need: float
    title: str


def insertion_probability(addition: Addition, point: InsertionPoint, context: InsertionContext) -> float:
    """From 0 to 1: the share of such spots at which people put the new name in."""
    return _MODEL.probability(_features(addition, point, context))


def _features(addition: Addition, point: InsertionPoint, context: InsertionContext) -> dict[str, float]:
    near = {key_of(sibling.name) for sibling in (*addition.before, *addition.after)}
    return {
        "first": float(context.rank == 0),
        "third": float(context.rank > 1),
        "coverage": point.known_siblings / max(1, len(near)),
        "known": min(point.known_siblings, _MOST_KNOWN) / _MOST_KNOWN,
        "titled": float(set(parts_of(addition.name)) <= set(parts_of(context.title))),
        "told": float(bool(addition.doc)),
        "mentioned": float(addition.name in context.text),
        "exact": float(point.label == addition.name),
        "headed": float(matches_heading(addition, point, context.text)),
        "local": float(addition.kind == "assignment" and addition.indent > 0),
        "need": context.need,
        "size": min(3.0, log(len(point.group.entries))),
        "visible": float(addition.source.weight > 1),
        "item": float(point.group.kind == "item"),
    }


def matches_heading(addition: Addition, point: InsertionPoint, text: str) -> bool:
    """Whether the heading over the group shares a word with the code around the definition."""
    start = point.group.entries[0].start
    over = parts_of(heading_over(text, start - 1)) if start else []
    return not set(over).isdisjoint(parts_of(addition.context) + parts_of(addition.source.file))
