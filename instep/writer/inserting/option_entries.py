"""A new line of a command's help, in the columns of the lines around it."""

import re
from collections import Counter
from collections.abc import Sequence

from instep.writer.articles.entries import ListEntry
from instep.writer.articles.option_lines import OptionLine, option_line
from instep.writer.facts.additions import Addition
from instep.writer.inserting.siblings import InsertionPoint
from instep.writer.inserting.skeleton import GAP, FilledText, description_for
from instep.writer.words.prose import is_safe

# pflag, which Cobra uses, takes a word in backquotes for the name of the value.
_NAMED_VALUE = re.compile(r"`([\w.:=\[][\w.:=\[\],-]{0,39})`")
# The method that defines a flag in Go says the type of its value: `f.DurationVarP(`.
_GO_TYPE = re.compile(r"\.(?P<type>[A-Z]\w*?)(?:Var)?P?\((?=[^()]*\"[a-z])")
_GO_TYPES_WITHOUT_VALUE = frozenset(("Bool", "Count"))
_UPPER_WORD = re.compile(r"[ =]?[A-Z][A-Z0-9_]*")
# Click prints the type for the name of the value.
_CLICK_TYPES = {"string": " TEXT", "integer": " INTEGER", "number": " FLOAT"}
_SWITCH = re.compile(r"\bis_flag\s*=\s*True|\bstore_(?:true|false)\b|\bVALUE_NONE\b")
_ANGLED = re.compile(r"[ =]?<[\w-]+>")
_STRING = re.compile(r"""(?P<mark>["'])(?P<text>(?:\\.|(?!(?P=mark))[^\\\n]){0,400})(?P=mark)""")
_ESCAPE = re.compile(r"\\([\"'])")
_MIN_WORDS = 2
_WIDE_GAP = "  "


def option_entry(
    addition: Addition, point: InsertionPoint, template: ListEntry, siblings: Sequence[ListEntry], text: str
) -> FilledText | None:
    """The new line; None where the code does not tell how the help calls the value."""
    lines = [line for entry in siblings if (line := option_line(_first_line(entry, text)))]
    model = option_line(_first_line(template, text))
    help_text = _help_text(addition.source.text)
    value = _value_of(addition, help_text, point.label, lines)
    if model is None or value is None:
        return None
    description = _NAMED_VALUE.sub(
        r"\1", help_text or description_for(addition.details, [line.text for line in lines], "")
    )
    head = " " * len(model.lead) + point.label + value
    column = Counter(line.text_column for line in lines).most_common(1)[0][0]
    head = head.ljust(column) if len(head) < column - 1 else head + _WIDE_GAP
    return FilledText(f"{head}{description or GAP}\n", bool(description))


def _first_line(entry: ListEntry, text: str) -> str:
    return text[entry.start : entry.end].splitlines()[0]


def _help_text(line: str) -> str:
    """The help that a line of code has, which commands print word for word; empty without one."""
    texts = (_ESCAPE.sub(r"\1", match["text"]).replace("%%", "%") for match in _STRING.finditer(line))
    text = max(texts, key=len, default="")
    return text if len(text.split()) >= _MIN_WORDS and is_safe("", text.replace("`", "")) else ""


def _value_of(addition: Addition, help_text: str, label: str, lines: Sequence[OptionLine]) -> str | None:
    """What stands for the value after the flag; empty for a switch, None where it is not known."""
    named = _NAMED_VALUE.search(help_text)
    go_type = _GO_TYPE.search(addition.source.text)
    if named:
        return f" {named[1]}"
    if go_type:
        name = go_type["type"]
        if name == "Var":
            return None
        return "" if name in _GO_TYPES_WITHOUT_VALUE else f" {name[0].lower()}{name[1:]}"
    if addition.details.type == "boolean" or _SWITCH.search(addition.source.text):
        return ""
    values = [line.value for line in lines if line.value]
    name = label.removeprefix("--")
    if values and all(map(_ANGLED.fullmatch, values)):
        return f"{values[0][0]}<{name.replace('-', '_') if '_' in ''.join(values) else name}>"
    are_named_alike = any(line.flag[2:].replace("-", "_").upper() == line.value[1:] for line in lines)
    if are_named_alike and all(map(_UPPER_WORD.fullmatch, values)):
        return f"{values[0][0]}{name.replace('-', '_').upper()}"
    has_types = not set(values).isdisjoint(_CLICK_TYPES.values())
    return _CLICK_TYPES.get(addition.details.type) if has_types else None
