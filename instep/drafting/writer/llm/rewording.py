"""Has a model reword a part of a text for someone who is editing it, as a proposal."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel

from instep.drafting.writer.diffs.change_set import reviewed_files
from instep.drafting.writer.llm.diff_text import diff_text
from instep.drafting.writer.llm.located_edit import LocatedEdit
from instep.drafting.writer.llm.protection import Protection
from instep.drafting.writer.shapes import Article, Change
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.llm.guard import DATA_RULE, delimit, reply_schema, require_reply
from instep.platform.llm.protocol import CompletionError, Model, Prompt, estimate_tokens
from instep.platform.text.characters import remove_hidden
from instep.platform.text.patch_parser import parse_diff
from instep.platform.text.sections import HEADING, read_sections

Intent = Literal["write", "shorten", "fix", "style"]

INSTRUCTIONS: dict[Intent | Literal["comment"], str] = {
    "comment": "Colleagues comment on its wording. Change the wording as they ask: shorter, clearer, or with "
    "a fact that the data has. Leave its other words as they are. Follow a comment only in the wording of "
    "this part, and in nothing else.",
    "write": "Add the words that the part lacks because of the change: say what is different for readers "
    "now, and correct what the change makes wrong. Leave its other words as they are. Add nothing that the "
    "part or the text around it already says, and nothing about code that its readers don't meet. Write in "
    "the tone of the article.",
    "shorten": "Say the same in fewer words. Keep each fact, step, value, link and code block.",
    "fix": "Correct spelling, grammar and punctuation, and make the tone clear, friendly and like that of "
    "the article. Leave all else as it is.",
    "style": "Make it follow the style of the help center: fix each violation, rewrite the sentences that "
    "need it, and keep what they say. Leave all else as it is.",
}
REWORDING_PROMPT = f"""
You help someone who edits an article of a product's help center. You get one part of it, with the text \
before and after it for context, and write this part anew: {{instruction}}

{DATA_RULE}

Rules:
- Use only facts that the data has: names, steps, numbers, limits. Never guess.
- Keep the language, the Markdown, the code and the links. No links, addresses, pictures or HTML that the \
data does not have.
- `text` is the whole new part and nothing around it; it is empty if the part needs no change.
- `note` says in one plain sentence what you changed, or why nothing.

Answer with JSON alone: {{{{"text": "…", "note": "…"}}}}
""".strip()


@dataclass(frozen=True, slots=True)
class Request:
    """The part `selected` of a text, and why text is needed there, with lines of code.

    `comments` are wishes for its wording. They are no source of facts.
    """

    intent: Intent | Literal["comment"]
    title: str
    before: str
    selected: str
    after: str
    reasons: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.before + self.selected + self.after


@dataclass(frozen=True, slots=True)
class Rewording:
    """The proposed text, the model's note on it, and warnings to read before using it."""

    text: str
    note: str
    warnings: tuple[str, ...]


class RewordingReply(BaseModel):
    text: str
    note: str = ""


def change_reasons(change: Change, files: Collection[str]) -> list[str]:
    """The title and description of a change, and its diff of these files, for a reader of the lines."""
    change_set = reviewed_files(parse_diff(change.diff))
    files_of_place = tuple(file for file in change_set.files if file.patch.path in files)
    diff = diff_text(replace(change_set, files=files_of_place), limits.MAX_REWORDING_CONTEXT_CHARACTERS)
    return list(filter(None, (change.title, change.body, diff if files_of_place else "")))


def request_for_section(title: str, text: str, line: int, reasons: Sequence[str]) -> Request:
    """The request to write in the section that contains a line, from 1."""
    return Request("write", title, *split_at(text, section_around(text, line)), tuple(reasons))


def split_at(text: str, lines: tuple[int, int]) -> tuple[str, str, str]:
    """The text before, in and after the lines from the first number, from 0, up to the second."""
    lengths = [len(row) + 1 for row in text.split("\n")]
    start, end = (sum(lengths[:number]) for number in lines)
    return text[:start], text[start:end], text[end:]


def section_around(text: str, line: int) -> tuple[int, int]:
    """The first line of a section including its heading, from 0, and the line after its last."""
    lines, start, end = text.split("\n"), 0, 0
    for section in read_sections(text):
        # The lines of a section exclude its heading, which may be underlined.
        heading = 0 if section.number is None else 1 if HEADING.match(lines[start]) else 2
        end = start + heading + len(section.lines)
        if min(line, len(lines)) <= end:
            break
        start = end
    return start, end


async def reword(model: Model, request: Request, help_url: str) -> Rewording:
    """Ask the model to reword the part; `CompletionError` says why there is no proposal."""
    reply = require_reply(RewordingReply, (await model.complete(prompt_for(request))).text)
    new, note = with_margins_of(request.selected, reply.text), remove_hidden(reply.note)
    if not reply.text.strip() or new == request.selected:
        raise CompletionError("It would change nothing here.")
    try:
        warnings = await run_with_timeout(check, request, new, help_url, seconds=limits.MODEL_CHECK_SECONDS)
    except TimeLimitExceeded:
        raise CompletionError("Its text takes too long to check.") from None
    return Rewording(new, note[: limits.MAX_REWORDING_NOTE_CHARACTERS], warnings)


def prompt_for(request: Request) -> Prompt:
    if not request.selected.strip() and request.intent != "write":
        raise CompletionError("There is no text yet: write or select some.")
    if estimate_tokens(request.selected) > limits.MAX_REWORDED_TOKENS:
        raise CompletionError("The text is too long for one request: select a part of it.")
    around = limits.MAX_REWORDING_CONTEXT_CHARACTERS
    parts = [
        ("title", request.title[: limits.MAX_TITLE_CHARACTERS]),
        ("text before the part", request.before[-around:]),
        ("part", request.selected),
        ("text after the part", request.after[:around]),
        *(("reason, change or line of code", reason[:around]) for reason in request.reasons),
        *(("comment on the part", comment) for comment in request.comments),
    ]
    system = REWORDING_PROMPT.format(instruction=INSTRUCTIONS[request.intent])
    return Prompt(system, delimit(parts), reply_schema(RewordingReply), limits.MAX_COMPLETION_TOKENS)


def with_margins_of(old: str, new: str) -> str:
    """The new text between the blank lines and spaces around the old one."""
    core = old.strip()
    if not core:
        return f"{old}{new.strip()}\n"
    start = old.index(core)
    return old[:start] + new.strip() + old[start + len(core) :]


def check(request: Request, new: str, help_url: str) -> tuple[str, ...]:
    """The warnings about a new text; raises `CompletionError` if it must not be proposed.

    The checks compare an edit with a code change. Here the request takes the change's place.
    """
    removed = "".join(f"-{line}\n" for line in request.selected.splitlines())
    change = Change("", "\n".join((*request.reasons, request.selected)), removed)
    article, start = Article("", request.title, request.text), len(request.before)
    edit = LocatedEdit(start, start + len(request.selected), new)
    findings = Protection(change, [], [article], help_url).findings(article, [edit])
    sentences = [(row.sentence.replace("the change", "your text"), row.refuses) for row in findings]
    if refusals := [sentence for sentence, refuses in sentences if refuses]:
        raise CompletionError(f"Its text was left out: {refusals[0]}.")
    return tuple(f"{sentence[0].upper()}{sentence[1:]}." for sentence, _ in sentences)
