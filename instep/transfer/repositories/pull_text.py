"""The comment on a pull request in Markdown, and the title of its status.

It names people by their names at the code host alone: comments may be public, and email addresses are not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from instep.client.ci.comment import place_text
from instep.client.ci.escaping import fenced, inert, one_line, without_commands
from instep.client.ci.report import TYPES, dashboard_page, place_of, text_lines
from instep.client.ci.shapes import Bot, Draft, parse_shape
from instep.client.ci.shapes import Place as ClientPlace
from instep.drafting.drafts.schemas import DraftDetail, draft_out
from instep.drafting.places.schemas import Place, place_out
from instep.platform.core import limits
from instep.platform.text.characters import shorten
from instep.transfer.repositories.pull_boxes import Box, signed
from instep.transfer.repositories.pull_commands import WORD
from instep.transfer.repositories.schemas import ShownDraft

Standing = Literal["open", "approved", "live", "dismissed"]
HELP = (
    "`{word} apply {first}` or `{word} apply all` approves what is shown here: it goes live when this is"
    " merged. `{word} dismiss {last} not needed` dismisses a draft, with a reason if you like."
    " `{word} edit {first}` links to the draft in Instep. Begin a new comment with a command. Only people who"
    " can write to this repository can use them."
)
COMMITS = (
    "Approved edits of the files in {folder} are also committed to this branch. `{word} commit {first}`"
    " approves a draft and commits it again."
)
# The beginning of an outcome without a commit.
NOT_COMMITTED = "It was not committed: "
LEFT_IN_GIT = "The draft was dismissed after that: revert the edit there."
READ_AGAIN = "An earlier text of this draft was approved: read this one, and approve it again."
NOT_SHOWN = "The text is too long for this comment: read and approve it [on its page]({address})."
SHORTENED = "The comment has no room for its text: read it [on its page]({address}) before you approve it."


@dataclass(frozen=True, slots=True)
class NumberedDraft:
    """A draft under its number, and what the comment has shown of it."""

    entry: ShownDraft
    detail: DraftDetail

    @property
    def standing(self) -> Standing:
        draft = self.detail.draft
        if draft.status == "pending":
            return "open" if draft.approved_at is None else "approved"
        return "live" if draft.status == "applied" else "dismissed"

    @property
    def seen_digest(self) -> str:
        """Identifies the proposal that the comment shows; empty if it does not show the whole."""
        return self.detail.draft.text_digest if whole_text(self.detail) is not None else ""

    @property
    def is_approved_here(self) -> bool:
        """True if the proposal is the one that someone has approved on the pull request."""
        return self.standing == "approved" and self.entry.approved == self.detail.draft.text_digest

    @property
    def is_left_in_git(self) -> bool:
        """True if the draft was dismissed after its edit was committed."""
        outcome = self.entry.outcome
        return self.standing == "dismissed" and bool(outcome) and not outcome.startswith(NOT_COMMITTED)

    @property
    def box(self) -> Box | None:
        """The box that approves what the comment shows; None for a settled draft, or one that is too long."""
        is_pending = self.detail.draft.status == "pending"
        digest = self.seen_digest if is_pending else ""
        return Box(self.entry.number, digest, self.is_approved_here) if digest else None


def draft_words(standings: Sequence[Standing]) -> str:
    """A sentence with the number of drafts, in total and by standing."""
    count = len(standings)
    counts = [(standings.count(name), name) for name in ("live", "approved", "dismissed", "open")]
    states = ", ".join(f"{number} {name}" for number, name in counts if number)
    if "open" in standings or "approved" in standings:
        subject = "1 article needs an edit" if count == 1 else f"{count} articles need an edit"
        return f"{subject}: {states}"
    if len(set(standings)) == 1:
        return f"1 draft is {standings[0]}" if count == 1 else f"{count} drafts are {standings[0]}"
    return f"{count} drafts: {states}"


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The drafts of a pull request, and its open places; `error` says that it could not be read."""

    drafts: Sequence[NumberedDraft]
    places: Sequence[Place]
    error: str | None = None
    # Why the pull request was not sent.
    note: str | None = None

    @property
    def is_decided(self) -> bool:
        return not self.error and not self.places and all(draft.standing != "open" for draft in self.drafts)

    @property
    def title(self) -> str:
        """For example `2 articles need an edit: 1 approved, 1 open`, and at the end `2 drafts are live`."""
        if self.error:
            return self.error
        parts = [draft_words([draft.standing for draft in self.drafts]) if self.drafts else ""]
        if self.places:
            parts.append(
                "1 place needs writing"
                if len(self.places) == 1
                else f"{len(self.places)} places need writing"
            )
        note = shorten(one_line(self.note), limits.MAX_STATUS_CHARACTERS) if self.note else None
        return ", ".join(filter(None, parts)) or note or "no article needs an edit"


@dataclass(frozen=True, slots=True)
class CommentFrame:
    """The rest of a comment, around its drafts: the installation, the bot, links, words."""

    # The first line, by which the comment is found.
    marker: str
    url: str
    bot: Bot
    preview_url: str | None
    has_boxes: bool
    # The beginning of commands; None if no delivery can bring them.
    command: str | None
    # Why what was approved does not go live with the merge.
    obstacle: str | None = None
    # The folder whose approved edits are committed.
    docs_folder: str | None = None


@dataclass(slots=True)
class CommentSection:
    """A draft or place in a comment: its head, which always stays, and the rest, or a sentence for it."""

    head: str
    rest: str
    brief: str = ""
    # The box below the first line.
    box: Box | None = None
    is_brief: bool = False

    @property
    def gain(self) -> int:
        return len(self.rest) - len(self.brief)

    @property
    def text(self) -> str:
        return "\n\n".join(filter(None, [self.head, self.brief if self.is_brief else self.rest]))


def comment_of(frame: CommentFrame, state: ReviewState) -> str:
    """The whole comment, in which the longest texts are left out if it would be too long for the host.

    Text by others is escaped and mentions no one.
    """
    sections = [draft_section(frame, item) for item in state.drafts]
    sections += [place_section(frame, place) for place in state.places[: limits.MAX_NUMBERED_DRAFTS]]
    text = comment_with(frame, state, sections)
    excess = len(text) - limits.MAX_COMMENT_CHARACTERS
    if excess <= 0:
        return text
    for section in sorted(sections, key=lambda section: section.gain, reverse=True):
        if excess > 0 and section.gain > 0:
            section.is_brief = True
            excess -= section.gain
    return comment_with(frame, state, sections)


def comment_with(frame: CommentFrame, state: ReviewState, sections: Sequence[CommentSection]) -> str:
    parts, boxes = [f"{frame.marker}\n### Instep: {inert(state.title)}"], {}
    if frame.obstacle:
        parts.append(frame.obstacle)
    for section in sections:
        if section.box:
            # It is below the heading of the draft, and its number.
            boxes[sum(part.count("\n") + 2 for part in parts) + 2] = section.box
        parts.append(section.text)
    if sections:
        parts.append("---")
        links = [f"[Review in Instep]({dashboard_page(frame.url, frame.bot, 'review')})"]
        links += [f"[Preview the articles]({frame.preview_url})"] if frame.preview_url else []
        parts.append(" · ".join(links))
    numbers = [item.entry.number for item in state.drafts if item.standing in ("open", "approved")]
    if numbers and frame.command:
        parts.append(HELP.format(word=frame.command, first=numbers[0], last=numbers[-1]))
        if frame.docs_folder:
            folder = inert(frame.docs_folder)
            parts.append(COMMITS.format(word=frame.command, first=numbers[0], folder=folder))
    return signed("\n\n".join(parts) + "\n", boxes)


def draft_section(frame: CommentFrame, item: NumberedDraft) -> CommentSection:
    draft = item.detail.draft
    address = dashboard_page(frame.url, frame.bot, "review", draft.id)
    words = f"{TYPES.get(draft.type, draft.type)}, {standing_words(item)}"
    parts = [f"**{item.entry.number}. [{inert(draft.title)}]({address})** ({inert(words)})"]
    box = item.box if frame.has_boxes else None
    if box:
        parts.append(box.line)
    if item.entry.outcome and (draft.status != "pending" or item.is_approved_here):
        parts.append(f"{item.entry.outcome} {LEFT_IN_GIT}" if item.is_left_in_git else item.entry.outcome)
    if draft.status == "pending" and item.entry.approved is not None and not item.is_approved_here:
        parts.append(READ_AGAIN)
    rest = pending_parts(item, address) if draft.status == "pending" else ()
    brief = SHORTENED if item.seen_digest else NOT_SHOWN
    return CommentSection("\n\n".join(parts), "\n\n".join(rest), brief.format(address=address), box)


def pending_parts(item: NumberedDraft, address: str) -> Iterator[str]:
    draft = client_draft(item.detail)
    if draft.type == "edit" and draft.title != draft.article_title:
        yield f"The title “{inert(draft.article_title)}” changes."
    lines = whole_text(item.detail)
    if lines is None:
        yield NOT_SHOWN.format(address=address)
    else:
        yield fenced(lines, "markdown" if draft.diff is None else "diff")
    if draft.reason:
        yield inert(shorten(draft.reason, limits.MAX_REASON_CHARACTERS))
    if draft.evidence:
        yield "\n".join(
            f"- {inert(place_of(place))}" for place in draft.evidence[: limits.MAX_NUMBERED_DRAFTS]
        )


def whole_text(detail: DraftDetail) -> list[str] | None:
    """The lines of a draft's diff or text; None if they are too many to be shown in full."""
    draft = client_draft(detail)
    lines = text_lines(draft.content_markdown, draft.diff)
    # The names of both sides of a diff say nothing.
    lines = lines if draft.diff is None else lines[2:]
    is_short = len(lines) <= limits.MAX_COMMENTED_DIFF_LINES
    if not is_short or sum(map(len, lines)) > limits.MAX_COMMENTED_DIFF_CHARACTERS:
        return None
    return [without_commands(line.rstrip("\r")) for line in lines]


def client_draft(detail: DraftDetail) -> Draft:
    return parse_shape(Draft, draft_out(detail, "markdown").model_dump(mode="json", by_alias=True))


def standing_words(item: NumberedDraft) -> str:
    draft = item.detail.draft
    if item.standing == "approved":
        until = "when this is merged" if item.is_approved_here else "with its release"
        return f"approved {by_person(item.entry, draft.approved_by_name)}, goes live {until}"
    if item.standing == "dismissed":
        return f"dismissed {by_person(item.entry, draft.settled_by_name)}"
    return item.standing


def by_person(entry: ShownDraft, name: str | None) -> str:
    return f"by {one_line(entry.decided_as)}" if name and name == entry.decided_by else "in Instep"


def place_section(frame: CommentFrame, place: Place) -> CommentSection:
    client_place = parse_shape(ClientPlace, place_out(place).model_dump(mode="json", by_alias=True))
    head, _, reason = place_text(frame.url, frame.bot, client_place).partition("\n\n")
    return CommentSection(head, reason)


def command_word(slug: str | None) -> str:
    """The beginning of a command; it has the slug if several help centers read the repository."""
    return WORD if slug is None else f"{WORD} {slug}"
