"""The table of callouts: GitHub's alerts for names, classes and icons of other products."""

from typing import NamedTuple


class _Kind(NamedTuple):
    """An alert; `names` are equivalent to its label, `classes` count only as words of HTML classes."""

    alert: str
    names: str
    other_names: str
    classes: str
    icons: str


# The most severe first: it is chosen if the classes of a box name several.
_KINDS = (
    _Kind("CAUTION", "caution danger error", "failure fail missing bug fatal", "red", "🚨⛔🛑❌"),
    _Kind("WARNING", "warning warn attention alert", "update", "yellow orange amber", "⚠🚧"),
    _Kind("IMPORTANT", "important", "key", "purple", "❗📌"),
    _Kind(
        "TIP",
        "tip hint",
        "success check done okay question help faq best-practice",
        "success green",
        "💡✅👍",
    ),
    _Kind(
        "NOTE",
        "note info default",
        "information abstract summary tldr example quote cite todo secondary seealso see-also",
        "information notice blue gray grey",
        "\u2139📘",
    ),
)
SAME_NAMES = frozenset(name for kind in _KINDS for name in kind.names.split())
ALERT_KINDS = {name: kind.alert for kind in _KINDS for name in f"{kind.names} {kind.other_names}".split()}
# Classes use these two for callouts of any kind, and for other things.
_OTHER_CLASSES = ("alert", "default")
CLASS_KINDS = {
    word: kind.alert
    for kind in _KINDS
    for word in f"{kind.names} {kind.classes}".split()
    if word not in _OTHER_CLASSES
}
# Names of callouts of any kind.
CALLOUT_NAMES = frozenset(("admonition", "callout", "notice"))
_ICONS = {icon: kind.alert for kind in _KINDS for icon in kind.icons}


def kind_of_icon(icon: str) -> str:
    """The alert for an icon; a variation selector, which turns a character into an emoji, may follow it."""
    return _ICONS.get(icon.rstrip("\ufe0f"), "NOTE")
