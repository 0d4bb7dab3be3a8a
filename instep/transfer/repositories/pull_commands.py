"""Commands in comments: `/instep apply 1`, `/instep dismiss 2 not needed`. Other text means nothing."""

from dataclasses import dataclass
from typing import Literal, get_args

from instep.drafting.drafts.schemas import DismissalReason
from instep.platform.core import limits
from instep.platform.text.characters import in_one_line, replace_unstorable, shorten

WORD = "/instep"
Verb = Literal["apply", "commit", "dismiss", "edit", "help", "unknown"]
# The commands about several drafts.
NUMBERED: dict[str, Verb] = {"apply": "apply", "commit": "commit", "edit": "edit"}


@dataclass(frozen=True, slots=True)
class PullCommand:
    """One line of a comment: the numbers of drafts, where none means all, and the reason of a dismissal."""

    verb: Verb
    line: str
    numbers: tuple[int, ...] = ()
    reason: DismissalReason | None = None
    comment: str | None = None

    @property
    def reasons(self) -> dict[str, str]:
        """The fields of the body of a dismissal."""
        fields = {"reason": self.reason, "comment": self.comment}
        return {name: value for name, value in fields.items() if value}


def command_lines(text: str, slug: str | None = None) -> list[str]:
    """The lines at the beginning of a comment that address Instep; none for most comments.

    With a slug, only those count that name it, and they are returned without it.
    """
    lines = []
    for line in text[: limits.MAX_PULL_COMMAND_CHARACTERS].lstrip().splitlines()[: limits.MAX_PULL_COMMANDS]:
        word, *words = in_one_line(replace_unstorable(line)).split(" ")
        if word != WORD:
            break
        if slug is None:
            lines.append(" ".join([word, *words]))
        elif words[:1] == [slug]:
            lines.append(" ".join([word, *words[1:]]))
    return lines


def read_command(line: str) -> PullCommand:
    """The command of a line; `unknown` if it is none."""
    _, *words = line.split()
    verb, arguments = (words[0].lower(), words[1:]) if words else ("help", [])
    if verb == "help":
        return PullCommand("help", line)
    numbered, is_all = NUMBERED.get(verb), [word.lower() for word in arguments] == ["all"]
    if (numbered in ("apply", "commit") and is_all) or (numbered == "commit" and not arguments):
        return PullCommand(numbered, line)
    numbers = [number_of(word) for word in " ".join(arguments).replace(",", " ").split()]
    if numbered and numbers and all(numbers):
        return PullCommand(numbered, line, tuple(dict.fromkeys(numbers)))
    if verb == "dismiss" and arguments and number_of(arguments[0]):
        return with_reason(PullCommand("dismiss", line, (number_of(arguments[0]),)), arguments[1:])
    return PullCommand("unknown", line)


def with_reason(command: PullCommand, words: list[str]) -> PullCommand:
    """The dismissal with the reason that its words begin with, such as "not needed", and the rest."""
    for reason in get_args(DismissalReason):
        length = reason.count("_") + 1
        if "_".join(words[:length]).lower() == reason:
            return PullCommand("dismiss", command.line, command.numbers, reason, joined(words[length:]))
    return PullCommand("dismiss", command.line, command.numbers, None, joined(words))


def joined(words: list[str]) -> str | None:
    return shorten(" ".join(words), limits.MAX_REASON_CHARACTERS) or None


def number_of(word: str) -> int:
    """The number of a draft, from 1; 0 for other words."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 3 else 0
