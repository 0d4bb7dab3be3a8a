"""How likely an addition belongs where an article lists its siblings."""

from dataclasses import dataclass

from instep.core.logistic import LogisticModel
from instep.writer.articles.headings import heading_over
from instep.writer.facts.additions import Addition
from instep.writer.facts.written_names import name_form_of
from instep.writer.inserting.siblings import InsertionPoint
from instep.writer.inserting.uniform_lists import common_parts
from instep.writer.words.identifiers import is_caption, key_of, parts_of

# Fitted on fourteen products. With each product left out of the fit, the area under the ROC curve is 0.95.
_MODEL = LogisticModel(
    {
        "first": 1.54,
        "third": -1.95,
        "coverage": 0.94,
        "known": 1.03,
        "in_title": 1.66,
        "described": 0.44,
        "default": 0.43,
        "exact": 0.72,
        "matches_heading": 0.36,
        "need": 1.18,
        "item": -0.58,
        "row": 0.2,
        "shared_parts": 0.73,
        "element": -0.4,
        "variable": 1.46,
        "flag": 1.09,
    },
    -4.67,
)
# A list of all settings is hardly ever near to the change in words, and yet lists the new one.
_SETTING_PROBABILITY = 0.95
_MIN_SETTINGS, _MIN_PREFIX_SHARE = 5, 0.8
_MIN_LISTED_KEYS, _MIN_LISTED_LABELS = 2, 3
_MAX_KNOWN = 5
_MAX_SHARED_PARTS = 3


@dataclass(frozen=True, slots=True)
class InsertionContext:
    """The text and rank (from 0) of an article, and the need (0 to 1) and title of the change."""

    text: str
    rank: int
    need: float
    title: str


def insertion_probability(
    addition: Addition, point: InsertionPoint, context: InsertionContext, *, is_certain: bool
) -> float:
    """The probability that people insert the new name at such a point, high if the list has its kind."""
    probability = _MODEL.probability(_features(addition, point, context))
    is_certain = is_certain or _is_setting(addition, point)
    return max(probability, _SETTING_PROBABILITY) if is_certain else probability


def has_name_of_its_own(addition: Addition) -> bool:
    """Whether a name is a variable of the environment or a flag, the same thing wherever it is listed.

    One word in capitals may be anything.
    """
    form = name_form_of(addition.name)
    return form == "flag" or (form == "variable" and "_" in addition.name and not addition.is_constant)


def is_beside_its_kind(addition: Addition, point: InsertionPoint) -> bool:
    """Whether a list has what stood beside the new name in the code: variables and flags, as they are
    written there, or all the labels that the code gives names, as in `fr: "French"`.

    Such a list gets the new one, however little its article has to do with the change.
    """
    if point.is_by_value or _is_label(addition):
        old_count = sum(not sibling.is_new for sibling in (*addition.before, *addition.after))
        return point.known_siblings >= max(_MIN_LISTED_LABELS, old_count)
    form = name_form_of(addition.name)
    listed_keys = {
        key_of(sibling.name)
        for sibling in (*addition.before, *addition.after)
        if not sibling.is_new and name_form_of(sibling.name) == form and point.entry_for_sibling(sibling)
    }
    is_as_written = point.label == addition.name and not point.is_by_form
    return is_as_written and has_name_of_its_own(addition) and len(listed_keys) >= _MIN_LISTED_KEYS


def _is_label(addition: Addition) -> bool:
    """Whether a member of a set is a text of the interface: of the labels in code some have several words."""
    names = [addition.name, *(sibling.name for sibling in (*addition.before, *addition.after))]
    return addition.kind == "element" and all(map(is_caption, names)) and any(" " in name for name in names)


def _is_setting(addition: Addition, point: InsertionPoint) -> bool:
    """Whether the name is a field of settings of which a list has the environment variables.

    They are named by one prefix and the field: `ACME_PAGE_SIZE` for `page_size`, beside its siblings.
    """
    prefix = point.label.removesuffix(addition.name.upper())
    labels = [entry.label for entry in point.entry_list.entries if entry.label]
    with_prefix = sum(label.startswith(prefix) for label in labels)
    is_variable = (
        addition.kind in {"key", "assignment"}
        and point.label.isupper()
        and prefix.endswith("_")
        and prefix != point.label
    )
    return is_variable and with_prefix >= max(_MIN_SETTINGS, _MIN_PREFIX_SHARE * len(labels))


def _features(addition: Addition, point: InsertionPoint, context: InsertionContext) -> dict[str, float]:
    sibling_keys = {key_of(sibling.name) for sibling in (*addition.before, *addition.after)}
    title_parts, form = set(parts_of(context.title)), name_form_of(addition.name)
    return {
        "first": float(context.rank == 0),
        "third": float(context.rank > 1),
        "coverage": point.known_siblings / max(1, len(sibling_keys)),
        "known": min(point.known_siblings, _MAX_KNOWN) / _MAX_KNOWN,
        "in_title": float(any(set(parts_of(name)) <= title_parts for name in (addition.name, point.label))),
        "described": float(bool(addition.doc)),
        "exact": float(point.label == addition.name),
        "matches_heading": float(matches_heading(addition, point, context.text)),
        "need": context.need,
        "item": float(point.entry_list.kind == "item"),
        "row": float(point.entry_list.kind == "row"),
        "shared_parts": _shared_parts(point),
        "default": float(bool(addition.details.default)),
        "element": float(addition.kind == "element"),
        "variable": float(form == "variable"),
        "flag": float(form in {"flag", "short flag"}),
    }


def _shared_parts(point: InsertionPoint) -> float:
    """The share (0 to 1) of three parts that the label has in common with its neighbour."""
    count = common_parts(parts_of(point.label), parts_of(point.neighbour.label))
    return min(count, _MAX_SHARED_PARTS) / _MAX_SHARED_PARTS


def matches_heading(addition: Addition, point: InsertionPoint, text: str) -> bool:
    """Whether the heading above the list shares a word with the code around the definition."""
    start = point.entry_list.entries[0].start
    heading_words = parts_of(heading_over(text, start - 1)) if start else []
    return not set(heading_words).isdisjoint(parts_of(addition.context) + parts_of(addition.source.file))
