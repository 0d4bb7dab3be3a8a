"""The second question to a model: which lines of the diff prove each of its edits."""

from instep.core import limits
from instep.llm.guard import delimit, read_reply
from instep.llm.protocol import Prompt, bytes_of, estimate_tokens
from instep.text.patch import Hunk
from instep.text.patch_parser import parse_diff
from instep.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.writer.llm.model_edits import CheckedEdit, CheckedReply
from instep.writer.llm.prompt_data import cut_to_bytes, diff_excerpt
from instep.writer.llm.prompts import CRITIC_PROMPT
from instep.writer.llm.replies import ReplyQuotes, quotes_schema
from instep.writer.shapes import Change

_EDITS_SHARE = 0.4
_MIN_DATA_BYTES = 1_000
# The lines around each piece of data, and JSON's escapes of it.
_LABEL_BYTES = 200
# A shorter quote stands in most diffs.
_MIN_QUOTE_CHARACTERS = 3


def prompt_for_critic(change: Change, checked: CheckedReply, max_tokens: int) -> Prompt | None:
    """A prompt about the diff and the edits, without title and description; None where there is no room."""
    schema = quotes_schema()
    max_output_tokens = min(limits.MAX_COMPLETION_TOKENS, max_tokens // 4)
    data_tokens = max_tokens - max_output_tokens - estimate_tokens(CRITIC_PROMPT, str(schema))
    data_bytes = bytes_of(data_tokens) - _LABEL_BYTES * (len(checked.edits) + 1)
    if data_bytes < _MIN_DATA_BYTES:
        return None
    edit_bytes = int(_EDITS_SHARE * data_bytes) // len(checked.edits)
    edits = [
        (f"edit {number}", cut_to_bytes(_described(edit, checked), edit_bytes))
        for number, edit in enumerate(checked.edits, 1)
    ]
    bytes_left = data_bytes - sum(len(text.encode("utf-8", "replace")) for _, text in edits)
    diff = diff_excerpt(reviewed_files(parse_diff(change.diff)), bytes_left)
    return Prompt(CRITIC_PROMPT, delimit([("diff", diff), *edits]), schema, max_output_tokens)


def _described(edit: CheckedEdit, checked: CheckedReply) -> str:
    return f"new text:\n{edit.located.new.strip()}\n\nold text:\n{checked.old_text(edit)}"


def unproved_edits(change: Change, checked: CheckedReply, reply: str) -> frozenset[int] | None:
    """The indices of the edits without a quote that stands in the diff; None for a reply of another form."""
    reply_quotes = read_reply(ReplyQuotes, reply)
    if reply_quotes is None:
        return None
    change_set = reviewed_files(parse_diff(change.diff))
    proved = {quote.edit - 1 for quote in reply_quotes.quotes if _stands_in(quote.quote, change_set)}
    return frozenset(range(len(checked.edits))) - proved


def _stands_in(quote: str, change_set: ChangeSet) -> bool:
    """Whether the diff has the lines of a quote in a row, at least one of them changed.

    Marks and spaces are of no importance: models leave them out.
    """
    whole = _without_spaces(quote)
    without_marks = _without_spaces("\n".join(line[line[:1] in {"+", "-"} :] for line in quote.splitlines()))
    return any(
        len(text) >= _MIN_QUOTE_CHARACTERS and _has_lines(hunk, text)
        for text in (whole, without_marks)
        for file in change_set.files
        for hunk in file.patch.hunks
    )


def _has_lines(hunk: Hunk, text: str) -> bool:
    changed = (_without_spaces(line.text) for line in hunk.lines if line.mark != " ")
    return text in _without_spaces("\n".join(line.text for line in hunk.lines)) and any(
        text in line or (len(line) >= _MIN_QUOTE_CHARACTERS and line in text) for line in changed
    )


def _without_spaces(text: str) -> str:
    return "".join(text.split())
