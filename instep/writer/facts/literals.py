"""Default values as definitions state them: `get("NAME", 20)`, `name: int = 20`, `Field(default=20)`."""

import re

_CALL = re.compile(r"^[\w.]+\(\s*[\"'][\w-]+[\"']\s*,\s*(.+?)\)?,?$")
_WITHOUT = re.compile(r"^[\w.]*(?:getenv|environ\.get|env)\(\s*[\"'][\w-]+[\"']\s*\)$")
_NAMED = re.compile(
    r"""\(.*?\bdefault(?:_value|Value)?\s*[=:]\s*(["'`][^"'`\n]{0,60}["'`]|-?[\w.]+)\s*[,)}]"""
)
_ANNOTATED = re.compile(r"^[^=()]*=\s*(.+?),?$")
_LITERAL = re.compile(
    r"""^(?:(["'`])(?P<text>[^"'`\n]{0,60})\1|-?\d[\d._]*|[Tt]rue|[Ff]alse|None|null|nil)$"""
)
_QUOTED = re.compile(r"""^(["'`])([^"'`\n]{1,60})\1""")


def default_of(value: str) -> str | None:
    """The literal behind a name, without quotes; None for anything computed."""
    bare = value.split("  #")[0].strip().rstrip(",;")
    if _WITHOUT.match(bare):
        return "None"
    for pattern in (_NAMED, _CALL, _ANNOTATED):
        found = pattern.search(bare)
        bare = found[1].strip() if found else bare
    literal = _LITERAL.match(bare)
    if literal is None:
        return None
    return literal["text"] if literal["text"] is not None else literal[0]


def quoted_text(value: str) -> str | None:
    """The string that a definition begins with: what `de: 'German',` shows."""
    found = _QUOTED.match(value.strip())
    return found[2] if found else None
