"""The text of a draft in a form: what was read, what was written, and whether the two still fit."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from instep.core.errors import AppError, InvalidRequest
from instep.dashboard.field_errors import errors_by_field
from instep.drafts.schemas import DraftTexts
from instep.web.forms import Form

NOT_SAVED = "Nothing is saved yet: a field below needs a change."


@dataclass(frozen=True, slots=True)
class Editing:
    """A form for the text of a draft; `seen` is the digest of the proposal that it began with."""

    title: str
    content: str
    seen: str
    problem: str = ""
    # What is wrong with each field, by its name in the API.
    faults: Mapping[str, str] = field(default_factory=dict)
    # The proposal as it is now, where it is another one than the form began with.
    other: str = ""
    is_settled: bool = False


def editing_of(draft: DraftTexts) -> Editing:
    return Editing(draft.title, draft.content, draft.text_digest)


def typed_text(form: Form, draft: DraftTexts) -> str:
    """The text of the form, with the line ends of the proposal: browsers send others."""
    text = form.get("content", "").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\n", "\r\n") if "\r\n" in draft.content else text


def outdated_editing(form: Form, draft: DraftTexts) -> Editing | None:
    """The form with its text and why it can't be saved; None if the draft is still what it began with."""
    content, title = typed_text(form, draft), form.get("title", "").strip()
    if draft.status != "pending":
        verb = "applied" if draft.status == "applied" else "dismissed"
        problem = (
            f"{draft.settled_by_name or 'Somebody'} {verb} this draft while you wrote."
            " Your text is below; nothing of it is saved."
        )
        return Editing(title, content, draft.text_digest, problem, other=draft.content, is_settled=True)
    if form.get("seen") != draft.text_digest:
        problem = (
            "Somebody changed this proposal while you wrote. Your text is below and is not saved yet:"
            " compare it with theirs, then save or apply it."
        )
        return Editing(title, content, draft.text_digest, problem, other=draft.content)
    return None


def refused_editing(form: Form, draft: DraftTexts, error: AppError) -> Editing:
    """The form with its text, and why it was refused."""
    is_settled = draft.status != "pending"
    title, content = form.get("title", "").strip(), typed_text(form, draft)
    faults = errors_by_field(error) if isinstance(error, InvalidRequest) else {}
    problem = NOT_SAVED if faults else error.message
    return Editing(title, content, form.get("seen", ""), problem, faults, is_settled=is_settled)
