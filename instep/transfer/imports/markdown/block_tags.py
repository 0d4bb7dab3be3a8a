"""Tags of template languages around Markdown: `{% hint %}…{% endhint %}`, `{{< note >}}…{{< /note >}}`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import NamedTuple

_ARGUMENT = re.compile(
    r"(?:([\w.-]+)[ \t\n]*[=:][ \t\n]*)?(?:\"((?:\\.|[^\"\\])*)\"|'([^']*)'|`([^`]*)`|([^\s\"'`=]+))"
)


class TagUse(NamedTuple):
    """A tag with its arguments; `body` is the text that it encloses, None if it encloses none.

    `source` is how its opening is written.
    """

    name: str
    named: dict[str, str]
    positional: list[str]
    body: str | None
    source: str

    def argument(self, name: str) -> str:
        """The argument with this name, or the first of those without a name."""
        if name in self.named:
            return self.named[name]
        return self.positional[0] if self.positional else ""


@dataclass(slots=True)
class _Frame:
    """A tag that may still be closed, with the text since it opened."""

    name: str
    arguments: str
    source: str
    indent: str
    parts: list[str] = field(default_factory=list)


def replace_tags(text: str, tag: re.Pattern[str], write: Callable[[TagUse], str]) -> str:
    """The text with each tag, the inner ones first, as `write` writes it.

    The groups of `tag` are `end` (not empty in a closing tag), `name`, `arguments`, and `alone` (not empty in
    a tag without a body). A tag that nothing closes has no body. What a tag alone on its line encloses is
    written as indented as the tag is. The code of the text must be hidden.
    """
    stack = [_Frame("", "", "", "")]
    at = 0
    for match in tag.finditer(text):
        stack[-1].parts.append(text[at : match.start()])
        at = match.end()
        if match["end"]:
            _close(stack, match["name"], write)
        elif match["alone"]:
            use = _use(_frame_of(match, text), None)
            stack[-1].parts.append(_indented(write(use), _indent_before(text, match.start())))
        else:
            stack.append(_frame_of(match, text))
    stack[-1].parts.append(text[at:])
    while len(stack) > 1:
        _fold(stack, write)
    return "".join(stack[0].parts)


def arguments_of(text: str) -> tuple[dict[str, str], list[str]]:
    """The arguments of a tag with names, and those without."""
    named: dict[str, str] = {}
    positional: list[str] = []
    for name, *values in _ARGUMENT.findall(text):
        value = next((value for value in values if value), "").replace('\\"', '"')
        if name:
            named[name] = value
        else:
            positional.append(value)
    return named, positional


def _frame_of(match: re.Match[str], text: str) -> _Frame:
    return _Frame(match["name"], match["arguments"], match[0], _indent_before(text, match.start()))


def _indent_before(text: str, start: int) -> str:
    """The blanks before a tag that is the first in its line."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip() else ""


def _use(frame: _Frame, body: str | None) -> TagUse:
    return TagUse(frame.name, *arguments_of(frame.arguments), body, frame.source)


def _close(stack: list[_Frame], name: str, write: Callable[[TagUse], str]) -> None:
    """Write the innermost open tag with this name; a closing tag without one is left out."""
    if not any(frame.name == name for frame in stack[1:]):
        return
    while stack[-1].name != name:
        _fold(stack, write)
    frame = stack.pop()
    body = dedent("".join(frame.parts)).strip("\n") if frame.indent else "".join(frame.parts)
    stack[-1].parts.append(_indented(write(_use(frame, body)), frame.indent))


def _fold(stack: list[_Frame], write: Callable[[TagUse], str]) -> None:
    """Write the innermost open tag as one without a body, before the text that follows it."""
    frame = stack.pop()
    stack[-1].parts += [_indented(write(_use(frame, None)), frame.indent), *frame.parts]


def _indented(text: str, indent: str) -> str:
    first, *others = text.split("\n")
    return "\n".join([first, *(indent + line if line else "" for line in others)])
