"""Carries out what a comment on a pull request decides, and says there what was not done."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

import structlog

from instep.client.ci.report import dashboard_page
from instep.drafting.drafts.actions import apply_draft, dismiss_draft
from instep.drafting.drafts.pending import DraftNotPending, ProposalChanged, find_draft
from instep.drafting.drafts.releasing import withdraw_approval
from instep.drafting.drafts.schemas import DraftApply, DraftDismiss
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.core.restarts import restartable
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.text.characters import shorten
from instep.platform.web.errors import body_from
from instep.transfer.repositories import review_queries
from instep.transfer.repositories.held_pulls import READER, HeldPull, read_state
from instep.transfer.repositories.host_people import find_member
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.pull_boxes import Box
from instep.transfer.repositories.pull_commands import PullCommand, read_command
from instep.transfer.repositories.pull_text import HELP, Standing, command_word
from instep.transfer.repositories.schemas import ShownDraft

log = structlog.get_logger("instep.repositories")

NO_ACCESS = "Only people who can write to this repository can decide here: nothing was changed."
NO_ANSWER = "{host} does not let Instep see who can write to this repository: nothing was changed."
NO_DRAFT = "There is no draft {number}."
DECIDED = "Draft {number} is already decided."
NO_FOLDER = "Approved edits are not committed to branches here: an owner can choose it in Instep's settings."
TOO_LONG = "The comment does not show the whole text of draft {number}: approve it on its page."
CHANGED = (
    "Draft {number} has changed since you read it, and your decision does not count: read it again, then"
    " repeat your decision."
)
RESTORED = (
    "Instep has restored its comment, because only its boxes can be edited: nothing else was changed. Tick a"
    " box again if you have ticked one."
)


class TooLong(Exception):
    """The comment does not show the whole proposal, so it can't be approved there."""


# Changes a draft as the entry shows it, in a transaction.
Act = Callable[[Ctx, ShownDraft], Awaitable[ShownDraft]]


async def answer_comment(work: HeldPull, api: HostApi) -> None:
    """Carry out what the comment decides that the job brings; another comment says what was not done."""
    # The next look restores the comment, unless the edit has left it as it is true.
    if "boxes" in work.payload and work.payload["digest"] != work.pull.comment_digest:
        await work.store(replace(work.pull, comment_digest=None), work.entries)
    if answers := await carry_out(work, api):
        await work.form.create_comment(api, work.repository.name, work.pull.number, "\n\n".join(answers))


async def carry_out(work: HeldPull, api: HostApi) -> list[str]:
    """Carry out the commands or the ticks of a comment; sentences about what was not done."""
    lines, boxes = work.payload.get("lines", []), work.payload.get("boxes", [])
    if boxes is None:
        return [RESTORED]
    if not lines and not boxes:
        return []
    refusal = await reason_to_refuse(work, api)
    if refusal is not None:
        log.info("pull_decision_refused", repository=work.repository.id, author=work.payload["author"])
        return [refusal]
    actor = await actor_of(work)
    answers = [
        f"`{without_ticks(line)}`: {answer}"
        for line in lines
        for answer in await run_command(work, read_command(line), actor)
    ]
    return answers + [answer for row in boxes if (answer := await tick(work, Box(**row), actor))]


async def reason_to_refuse(work: HeldPull, api: HostApi) -> str | None:
    """The reason that the author of the comment may not decide; None if they may."""
    try:
        may_write = await work.form.can_write(api, work.repository.name, work.payload["author_key"])
    except HostRefused:
        return NO_ANSWER.format(host=work.host_name)
    return None if may_write else NO_ACCESS


async def actor_of(work: HeldPull) -> Actor:
    """The member who is the author of the comment, if an owner has said so, or a person at the code host."""
    name = f"{work.payload['author']} at {work.host_name}"
    async with work.context(READER) as ctx:
        member = await find_member(ctx, work.host.id, work.payload["author"])
    if member is None:
        return Actor("person", name, can_write=True, channel="job")
    return Actor("person", member.email, can_write=True, id=member.person_id, channel="job", app=name)


async def run_command(work: HeldPull, command: PullCommand, actor: Actor) -> list[str]:
    """Run one command; sentences about what was not done."""
    if command.verb in ("help", "unknown"):
        return [HELP.format(word=command_word(work.slug), first=1, last=2)]
    if command.verb == "commit" and work.repository.docs_folder is None:
        return [NO_FOLDER]
    again: tuple[Standing, ...] = ("approved",) if command.verb == "commit" else ()
    numbers = command.numbers or await numbers_of(work, "open", *again)
    if command.verb == "edit":
        return [link_to_draft(work, number) for number in numbers]

    async def dismiss(ctx: Ctx, entry: ShownDraft) -> ShownDraft:
        await dismiss_draft(ctx, entry.id, body_from(DraftDismiss, command.reasons))
        return entry

    act = dismiss if command.verb == "dismiss" else approve
    answers = [await run_on_draft(work, number, actor, act) for number in numbers]
    return [answer for answer in answers if answer]


async def numbers_of(work: HeldPull, *standings: Standing) -> list[int]:
    state = await restartable(lambda: read_state(work))
    return [item.entry.number for item in state.drafts if item.standing in standings]


def link_to_draft(work: HeldPull, number: int) -> str:
    entry = find_entry(work, number)
    if entry is None:
        return NO_DRAFT.format(number=number)
    address = dashboard_page(settings().base_url, work.bot, "review", entry.id)
    return f"[Edit draft {number} in Instep]({address})."


async def run_on_draft(work: HeldPull, number: int, actor: Actor, act: Act) -> str | None:
    """Decide by a command, which means what the comment showed when it was sent."""
    entry = find_entry(work, number)
    sent_at = datetime.fromisoformat(work.payload["sent_at"])
    if entry and entry.since and sent_at <= datetime.fromisoformat(entry.since):
        return CHANGED.format(number=number)
    return await decide(work, number, actor, act)


async def tick(work: HeldPull, box: Box, actor: Actor) -> str | None:
    """Approve the proposal that a ticked box showed, or take that approval back."""

    async def act(ctx: Ctx, entry: ShownDraft) -> ShownDraft:
        proposal = replace(entry, digest=box.digest)
        return await (approve if box.is_ticked else take_back)(ctx, proposal)

    return await decide(work, box.number, actor, act)


async def decide(work: HeldPull, number: int, actor: Actor, act: Act) -> str | None:
    """Decide one draft; the reason that it stays as it is, or None."""
    entry = find_entry(work, number)
    if entry is None:
        return NO_DRAFT.format(number=number)

    async def once() -> ShownDraft:
        async with work.context(actor) as ctx, ctx.tx.transaction():
            after = await act(ctx, entry)
            after = replace(after, decided_by=actor.name, decided_as=actor.app or actor.name)
            await review_queries.store_review(ctx, work.pull, with_entry(work, after))
            return after

    try:
        after = await restartable(once)
    except DraftNotPending:
        return DECIDED.format(number=number)
    except ProposalChanged:
        return CHANGED.format(number=number)
    except TooLong:
        return TOO_LONG.format(number=number)
    except AppError as refusal:
        return f"Draft {number}: {refusal.message}"
    work.entries = with_entry(work, after)
    return None


async def approve(ctx: Ctx, entry: ShownDraft) -> ShownDraft:
    if not entry.digest:
        raise TooLong
    await apply_draft(ctx, entry.id, body_from(DraftApply, {"when": "release"}), seen=entry.digest)
    # An approval merges what has changed in the article since.
    return replace(entry, approved=(await find_draft(ctx, entry.id)).text_digest, outcome="")


async def take_back(ctx: Ctx, entry: ShownDraft) -> ShownDraft:
    """Take back an approval of the pull request; one that someone has given in Instep since stays."""
    draft = await find_draft(ctx, entry.id)
    if entry.approved == entry.digest and draft.approved_by_name == entry.decided_by:
        await withdraw_approval(ctx, entry.id, entry.digest)
    return replace(entry, approved=None)


def find_entry(work: HeldPull, number: int) -> ShownDraft | None:
    return next((draft for draft in work.entries if draft.number == number), None)


def with_entry(work: HeldPull, after: ShownDraft) -> list[ShownDraft]:
    return [after if draft.number == after.number else draft for draft in work.entries]


def without_ticks(line: str) -> str:
    """A line of a comment inside of backticks, where nothing else has a meaning."""
    return shorten(line.replace("`", "'"), limits.MAX_QUOTED_COMMAND_CHARACTERS)
