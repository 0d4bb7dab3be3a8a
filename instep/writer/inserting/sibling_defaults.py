"""How an article says that a setting has no value: as the siblings without one in the code have it."""

from collections.abc import Iterator

from instep.writer.facts.additions import Addition
from instep.writer.facts.values import default_of
from instep.writer.inserting.siblings import InsertionPoint

_WITHOUT_VALUE = frozenset(("", "None", "null", "nil"))


def rows_without_value(addition: Addition, point: InsertionPoint, text: str) -> Iterator[str]:
    """The rows of siblings with the default of the addition, nearest first, if that is no value at all.

    For `None` of code one article says “not set”, for `""` “empty”: their own words tell which.
    """
    default = default_of(addition.value)
    if default not in _WITHOUT_VALUE:
        return
    for sibling in (*addition.before, *addition.after):
        entry = point.entry_for_sibling(sibling)
        if entry and default_of(sibling.value) == default:
            yield text[entry.start : entry.end]
