"""Tags of template languages: `{% hint %}…{% endhint %}`, `{{< note >}}…{{< /note >}}`, `[box]…[/box]`."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import NamedTuple

_ARGUMENT = re.compile(
    r"(?:([\w.-]+)[ \t\n]*[=:][ \t\n]*)?(?:\"((?:\\.|[^\"\\])*)\"|'([^']*)'|`([^`]*)`|([^\s\"'`=]+))"
)
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")


class TagUse(NamedTuple):
    """A tag with its arguments; `body` is the enclosed text, None if it encloses nothing.

    `source` is the source of the opening tag. `is_alone` is true if nothing else is in its lines.
    """

    name: str
    named: dict[str, str]
    positional: list[str]
    body: str | None
    source: str
    is_alone: bool

    def argument(self, name: str) -> str:
        """The argument with this name, or the first unnamed one."""
        if name in self.named:
            return self.named[name]
        return self.positional[0] if self.positional else ""


@dataclass(slots=True)
class _Frame:
    """A tag that may still be closed, with the text since its opening."""

    name: str
    arguments: str
    source: str
    indent: str
    is_first: bool = False
    is_last: bool = False
    parts: list[str] = field(default_factory=list)


def replace_tags(
    text: str, tag: re.Pattern[str], write: Callable[[TagUse], str], *, keeps_unopened: bool = False
) -> str:
    """The text with each tag replaced by the result of `write`, inner ones first.

    The groups of `tag` are `end` (not empty in a closing tag), `name`, `arguments`, and `alone` (not empty in
    a tag without a body). An unclosed tag has no body; a closing tag without an opening one is dropped or
    kept. The content of a tag alone on its line gets the indentation of the tag. Code in the text must be
    hidden.
    """
    stack = [_Frame("", "", "", "")]
    # The number of open tags by name, which keeps the time linear.
    open_names: Counter[str] = Counter()
    at = 0
    for match in tag.finditer(text):
        stack[-1].parts.append(text[at : match.start()])
        at = match.end()
        if not match["end"]:
            stack.append(_frame_of(match, text))
            open_names[match["name"]] += 1
            if match["alone"]:
                _fold(stack, open_names, write)
        elif open_names[match["name"]]:
            while stack[-1].name != match["name"]:
                _fold(stack, open_names, write)
            stack[-1].is_last = _is_last(match)
            _close(stack, open_names, write)
        elif keeps_unopened:
            stack[-1].parts.append(match[0])
    stack[-1].parts.append(text[at:])
    while len(stack) > 1:
        _fold(stack, open_names, write)
    return "".join(stack[0].parts)


def arguments_of(text: str) -> tuple[dict[str, str], list[str]]:
    """The named and the unnamed arguments of a tag."""
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
    """An opening tag, with the blanks before it if it is the first in its line."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    is_first = not before.strip()
    indent = before if is_first else ""
    return _Frame(match["name"], match["arguments"], match[0], indent, is_first, _is_last(match))


def _is_last(tag: re.Match[str]) -> bool:
    return _LINE_END.match(tag.string, tag.end()) is not None


def _close(stack: list[_Frame], open_names: Counter[str], write: Callable[[TagUse], str]) -> None:
    """Write the innermost open tag with the text that it encloses."""
    frame = stack.pop()
    open_names[frame.name] -= 1
    body = dedent("".join(frame.parts)).strip("\n") if frame.indent else "".join(frame.parts)
    stack[-1].parts.append(_written(frame, body, write))


def _fold(stack: list[_Frame], open_names: Counter[str], write: Callable[[TagUse], str]) -> None:
    """Write the innermost open tag without a body, followed by its text."""
    frame = stack.pop()
    open_names[frame.name] -= 1
    stack[-1].parts += [_written(frame, None, write), *frame.parts]


def _written(frame: _Frame, body: str | None, write: Callable[[TagUse], str]) -> str:
    is_alone = frame.is_first and frame.is_last
    use = TagUse(frame.name, *arguments_of(frame.arguments), body, frame.source, is_alone)
    first, *others = write(use).split("\n")
    return "\n".join([first, *(frame.indent + line if line else "" for line in others)])
