"""What the code around a name says of it: its type, its default and its help text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.text.patch import Hunk
from instep.writer.facts.written_names import members_of, name_form_of
from instep.writer.words.prose import is_prose, prose_of

_OPENING, _CLOSING = re.compile(r"[(\[{]"), re.compile(r"[)\]}]")
_STRINGS = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\\n])*)\1""")
_LITERAL = (
    r"""(?:(?P<quote>["'])(?P<text>[^"'\n]{0,60})(?P=quote)"""
    r"""|(?P<constant>-?\d[\d._]*\w?\b|[Tt]rue\b|[Ff]alse\b|None\b|null\b|nil\b))"""
)
# The patterns of defaults capture the name, because a pattern for each name takes long to compile.
_DEFAULTS = (
    # The name and its default are arguments; what follows a member of a list is the next member.
    re.compile(
        r"""\((?:\s*&?[\w.]+\s*,)?\s*["'`](?P<name>[^"'`\n]+)["'`]\s*,\s*(?:["']\w["']\s*,\s*)?"""
        rf"""{_LITERAL}\s*[,)]"""
    ),
    # What the code takes where there is no value: `env.NAME ?? 1`, `ENV["NAME"] || 1`, `fetch("NAME") { 1 }`.
    re.compile(
        r"""(?m)(?:\.|[\[(]["'])(?P<name>[\w-]+)(?:["'][\])])?[\])]*\s*(?:\?\?|\|\||\?:|\bor\b|\{)\s*"""
        rf"""{_LITERAL}\s*(?:[,;)\]}}#]|//|$)"""
    ),
    re.compile(rf"""(?i)\b(?P<name>)(?:default\w*|fallback|value)["']?\s*(?::|=>?|\()\s*{_LITERAL}"""),
    re.compile(
        r"""\$\{(?P<name>[\w.]+):?-(?P<quote>["']?)(?P<text>[^}"'\n]{0,60})(?P=quote)(?P<constant>)\}"""
    ),
    re.compile(
        r"""^\s*(?:#\s*)?(?:export\s+|ENV\s+|ARG\s+|-\s+)?(?P<name>[\w./:{}<>-]+?)\s*[=:]\s*"""
        rf"""{_LITERAL}\s*$"""
    ),
)
_TYPED = re.compile(
    r"""(?i)\b(?:env\.|as_?)?(bool(?:ean)?|int(?:eger)?|u?int(?:32|64)?|float(?:64)?|str(?:ing)?|list|dict"""
    r"""|duration|number|object|array|(?:string|int)(?:slice|array|list))(?:Flag|Var|VarP|P)?\s*[({]"""
)
_NAMED_TYPE = re.compile(r"""(?i)(?<![\w-])type["']?\s*(?::|=>?)\s*["']?(\w+)["']?""")
_ANNOTATION = re.compile(
    r"""^[\w"'?\s]+?\??\s*:\s*(?:Optional\[|Option<)?([A-Za-z]\w*(?:\[\w+\]|<\w+>|\[\])?)"""
)
_TYPE_WORDS = {
    "bool": "boolean",
    "boolean": "boolean",
    "int": "integer",
    "integer": "integer",
    "uint": "integer",
    "int32": "integer",
    "int64": "integer",
    "uint32": "integer",
    "uint64": "integer",
    "float": "number",
    "float64": "number",
    "number": "number",
    "str": "string",
    "string": "string",
    "list": "list",
    "array": "array",
    "stringslice": "list",
    "stringarray": "list",
    "stringlist": "list",
    "intslice": "list",
    "dict": "object",
    "object": "object",
    "duration": "duration",
}
_ESCAPE = re.compile(r"\\([\"'`])")
_REPORT = re.compile(
    r"(?i)\b(?:raise|throw|assert|bail|panic|abort|fail)\b"
    r"|(?:error|exception|warn|log|print)\w{0,8}[!.]?\w{0,8}\("
)
_COMPLAINT = re.compile(r"(?i)\b(?:must (?:be|have|not)|can ?not|can't|could not|unable to|only works|got)\b")
_DESCRIPTION_START = re.compile(r"\s*[\w`\"'(<\[]")
_PLACEHOLDER = re.compile(r"\s*\((?:default|env)[^()]*[$%{][^()]*\)")
_MAX_LINES = 12


@dataclass(frozen=True, slots=True)
class Details:
    """What code says of a name; each is empty if it says nothing, `default` is without quotes."""

    type: str = ""
    default: str = ""
    doc: str = ""

    def completed_by(self, other: "Details") -> "Details":
        """These details, and from the other ones what is missing."""
        return Details(self.type or other.type, self.default or other.default, self.doc or other.doc)


def details_of(name: str, place: int, hunk: Hunk) -> Details:
    """The details from the call, the literal or the line of configuration that has the name."""
    lines = _construct(place, hunk)
    text = "\n".join(lines)
    return Details(_type_in(text), _default_in(text, name.lstrip("-")), _doc_in(lines))


def reports_error(line: str) -> bool:
    """Whether a line of code raises an error or writes to a log: its text says what went wrong."""
    return bool(_REPORT.search(line))


def is_description(text: str) -> bool:
    """Whether a text of the code is prose that tells what something is, and not what went wrong."""
    return is_prose(text) and bool(_DESCRIPTION_START.match(text)) and not _COMPLAINT.search(text)


def unescaped(text: str) -> str:
    """A string of code as it reads, without defaults that the code fills in."""
    return _PLACEHOLDER.sub("", _ESCAPE.sub(r"\1", text).replace("%%", "%"))


def type_of(text: str) -> str:
    """The type that an annotation or a field states: `: bool = True`, `type: "string"`."""
    annotation = _ANNOTATION.match(text.strip())
    return _word(annotation[1]) if annotation else ""


def _word(type_name: str) -> str:
    return _TYPE_WORDS.get(type_name.lower(), "")


def _construct(place: int, hunk: Hunk) -> Sequence[str]:
    """The added lines of the innermost statement or literal around a line."""
    first = last = place
    text = hunk.lines[place].text
    if not is_prose(_longest_string(text)) and _balance([text]) <= 0 and text[:1].isspace():
        first = _opening(place, hunk)
    while (
        last + 1 < len(hunk.lines) and last - first < _MAX_LINES and _balance(_added(hunk, first, last)) > 0
    ):
        last += 1
    lines = _added(hunk, first, last)
    return lines if _balance(lines) <= 0 else [text]


def _opening(place: int, hunk: Hunk) -> int:
    """The index of the line that opens the literal around a line, if the change adds it; else the line."""
    depth = _depth(hunk.lines[place].text)
    for index in range(place - 1, max(-1, place - _MAX_LINES), -1):
        line = hunk.lines[index]
        if line.mark == "-":
            continue
        if line.mark != "+":
            break
        if _depth(line.text) < depth and line.text.strip():
            return index if line.text.rstrip().endswith(("(", "{", "[")) else place
    return place


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _added(hunk: Hunk, first: int, last: int) -> Sequence[str]:
    return [line.text for line in hunk.lines[first : last + 1] if line.mark == "+"]


def _balance(lines: Sequence[str]) -> int:
    """How many brackets are open after the lines, apart from those in strings."""
    text = _STRINGS.sub("", "\n".join(lines))
    return len(_OPENING.findall(text)) - len(_CLOSING.findall(text))


def _longest_string(text: str) -> str:
    return max((match[2] for match in _STRINGS.finditer(text)), key=len, default="")


def _type_in(text: str) -> str:
    match = _NAMED_TYPE.search(text) or _TYPED.search(text)
    return _word(match[1]) if match else ""


def _default_in(text: str, name: str) -> str:
    code = "\n".join(line for line in text.split("\n") if name not in members_of(line))
    matches = (match for pattern in _DEFAULTS for match in pattern.finditer(code))
    match = next((match for match in matches if match["name"] in {name, ""}), None)
    value = (match["text"] or match["constant"] or "") if match else ""
    return "" if name_form_of(value) == "variable" else value


def _doc_in(lines: Sequence[str]) -> str:
    return next(filter(None, map(prose_of, _texts_in(lines))), "")


def _texts_in(lines: Sequence[str]) -> Iterator[str]:
    """The strings that may be prose, the longest first."""
    code = "\n".join(line for line in lines if not reports_error(line))
    strings = (unescaped(match[2]) for match in _STRINGS.finditer(code))
    texts = (string for string in strings if is_description(string))
    yield from sorted(texts, key=len, reverse=True)
