"""Structured field values (RFC 9651) as RateLimit uses them: lists of strings with integers."""

import re

STRING = r'"((?:[ !#-\[\]-~]|\\["\\])*)"'
PARAMETER = r"; *([a-z*][a-z0-9_.*-]*)=(-?[0-9]{1,15})"
ITEM = re.compile(rf"{STRING}((?:{PARAMETER})*)")
COMMA = re.compile(r"[ \t]*,[ \t]*")

Item = tuple[str, dict[str, int]]


def parse_list(value: str) -> list[Item]:
    """The members of a list; fails on input that a strict parser would reject."""
    items = [parse_item(text) for text in COMMA.split(value.strip(" "))]
    assert items, "an empty list is not sent"
    return items


def parse_item(text: str) -> Item:
    parsed = ITEM.fullmatch(text)
    assert parsed, f"{text!r} is no string with integer parameters"
    pairs = re.findall(PARAMETER, parsed[2])
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"a parameter is repeated in {text!r}"
    return parsed[1], {name: int(number) for name, number in pairs}
