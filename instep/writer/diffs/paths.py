"""File names as diffs spell them: quoted, prefixed, dated."""

import re

DEV_NULL = "/dev/null"
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
_PLAIN = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_DATE = re.compile(
    r"(?<!\s)\s++(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*|\((?:revision \d++|working copy|nonexistent)\))$"
)
# A name whose quotes do not end goes to the end of its line: no other one can begin within it.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)')
_PREFIX = re.compile(r"^[abciow]/")


def named_path(text: str) -> str:
    """The path of a `---` or `+++` line, without quotes and time stamp, with its prefix."""
    quoted = _QUOTED.match(text)
    if quoted:
        return unquote(quoted[1])
    return _DATE.sub("", text.split("\t", 1)[0]).rstrip()


def unquote(text: str) -> str:
    """Undo git's C-style quoting, whose octal escapes are bytes of UTF-8."""
    return _ESCAPE.sub(_unescape, text.encode("utf-8", "replace")).decode("utf-8", "replace")


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8) & 255]) if code[0:1].isdigit() else _PLAIN.get(code, code)


def header_paths(text: str) -> tuple[str, str]:
    """Both paths of `diff --git A B`; names with blanks are told apart by both halves being equal."""
    quoted = _QUOTED.findall(text)
    if len(quoted) == 2:
        return unquote(quoted[0]), unquote(quoted[1])
    if len(quoted) == 1:
        plain = _QUOTED.sub("", text).strip()
        pair = (unquote(quoted[0]), plain)
        return pair if text.startswith('"') else pair[::-1]
    middle = len(text) // 2
    left, right = text[:middle], text[middle + 1 :]
    if text[middle : middle + 1] == " " and without_prefix(left) == without_prefix(right):
        return left, right
    left, _, right = text.partition(" b/") if " b/" in text else text.partition(" ")
    return left, f"b/{right}" if " b/" in text else right


def without_prefix(path: str) -> str:
    return path if path == DEV_NULL else _PREFIX.sub("", path)
