"""Combinations of keys, which code writes in one way and articles in that of each system: Ctrl+K, ⌘K."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from instep.writer.facts.renames import Rename
from instep.writer.words.identifiers import is_key_combination

_JOINT = re.compile(r"\s?[+-]\s?")
# What articles call each modifier, by the style of a system; the last one is that of symbols.
_MODIFIERS = {
    "mod": ("Ctrl", "Cmd", "Command", "⌘"),
    "ctrl": ("Ctrl", "Ctrl", "Control", "⌃"),
    "meta": ("Meta", "Cmd", "Command", "⌘"),
    "alt": ("Alt", "Option", "Option", "⌥"),
    "shift": ("Shift", "Shift", "Shift", "⇧"),
}
_SYNONYMS = {
    "control": "ctrl", "cmd": "meta", "command": "meta", "cmdorctrl": "mod", "commandorcontrol": "mod",
    "option": "alt",
}  # fmt: skip
_STYLES = (*((style, joint) for style in range(3) for joint in ("+", " + ", "-")), (3, ""))


def key_combination_renames(renames: Iterable[Rename]) -> Iterator[Rename]:
    """The renames of key combinations in all ways in which articles may write the keys."""
    for rename in renames:
        if is_key_combination(rename.old) and is_key_combination(rename.new):
            spellings = zip(_spellings(rename.old), _spellings(rename.new), strict=False)
            for old, new in dict.fromkeys(spellings):
                if old != rename.old:
                    yield replace(rename, old=old, new=new, marking="anywhere")


def _spellings(combination: str) -> Iterator[str]:
    *modifiers, key = _JOINT.split(combination)
    names = [_SYNONYMS.get(name.lower(), name.lower()) for name in modifiers]
    if not names or not _MODIFIERS.keys() >= {*names}:
        return
    key = key.upper() if len(key) == 1 else key.capitalize()
    for style, joint in _STYLES:
        yield joint.join([*(_MODIFIERS[name][style] for name in names), key])
