"""Runs the commands of a comment on a pull request, and says what was not done."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from instep.drafting.drafts.actions import apply_draft, dismiss_draft
from instep.drafting.drafts.pending import DraftNotPending, ProposalChanged, find_draft
from instep.drafting.drafts.schemas import DraftApply, DraftDismiss
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.core.restarts import restartable
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.text.characters import shorten
from instep.platform.web.bodies import body_from
from instep.transfer.repositories import review_queries
from instep.transfer.repositories.held_pulls import HeldPull
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.numbered_drafts import read_state
from instep.transfer.repositories.pull_commands import PullCommand, read_command
from instep.transfer.repositories.pull_text import HELP, command_word
from instep.transfer.repositories.schemas import ShownDraft

log = structlog.get_logger("instep.repositories")

NO_ACCESS = "Only people who can write to this repository can use commands: nothing was changed."
NO_ANSWER = "{host} does not let Instep see who can write to this repository: nothing was changed."
NO_DRAFT = "There is no draft {number}."
DECIDED = "Draft {number} is already decided."
TOO_LONG = "The comment does not show the whole text of draft {number}: approve it on its page."
CHANGED = (
    "Draft {number} has changed since you read it and was not approved: read it again, then repeat the"
    " command."
)


class TooLong(Exception):
    """The comment does not show the whole proposal, so that nobody can approve it there."""


@dataclass(frozen=True, slots=True)
class Decider:
    """A person at the code host, and when they decided by the host's clock."""

    actor: Actor
    sent_at: datetime


Act = Callable[[HeldPull, Ctx, ShownDraft, PullCommand], Awaitable[ShownDraft]]


async def run_commands(work: HeldPull, api: HostApi) -> None:
    """Run the commands of the comment that the job brings; refusals are answered by another comment."""
    author = work.payload["author"]
    refusal = await reason_to_refuse(work, api)
    if refusal is not None:
        log.info("pull_command_refused", repository=work.repository.id, author=author)
        answers = [refusal]
    else:
        actor = Actor("person", f"{author} at {work.host_name}", can_write=True, channel="job")
        decider = Decider(actor, datetime.fromisoformat(work.payload["sent_at"]))
        answers = [
            f"`{without_ticks(line)}`: {answer}"
            for line in work.payload["lines"]
            for answer in await run_command(work, read_command(line), decider)
        ]
    if answers:
        await work.form.create_comment(api, work.repository.name, work.pull.number, "\n\n".join(answers))


async def reason_to_refuse(work: HeldPull, api: HostApi) -> str | None:
    """The reason that the author of the commands may not run them; None if they may."""
    try:
        may_write = await work.form.can_write(api, work.repository.name, work.payload["author_key"])
    except HostRefused:
        return NO_ANSWER.format(host=work.host_name)
    return None if may_write else NO_ACCESS


async def run_command(work: HeldPull, command: PullCommand, decider: Decider) -> list[str]:
    """Run one command; sentences about what was not done."""
    if command.verb in ("help", "unknown"):
        return [HELP.format(word=command_word(work.slug))]
    numbers = command.numbers or await open_numbers(work)
    answers = [await decide(work, command, number, decider) for number in numbers]
    return [answer for answer in answers if answer]


async def open_numbers(work: HeldPull) -> list[int]:
    state = await restartable(lambda: read_state(work))
    return [item.entry.number for item in state.drafts if item.standing == "open"]


async def decide(work: HeldPull, command: PullCommand, number: int, decider: Decider) -> str | None:
    """Decide one draft as it was shown; the reason that it stays as it is, or None."""
    entry = next((draft for draft in work.entries if draft.number == number), None)
    if entry is None:
        return NO_DRAFT.format(number=number)
    if entry.since and decider.sent_at <= datetime.fromisoformat(entry.since):
        return CHANGED.format(number=number)
    act: Act = approve if command.verb == "apply" else dismiss

    async def once() -> ShownDraft:
        async with work.context(decider.actor) as ctx, ctx.tx.transaction():
            return await act(work, ctx, entry, command)

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


async def approve(work: HeldPull, ctx: Ctx, entry: ShownDraft, command: PullCommand) -> ShownDraft:
    if not entry.digest:
        raise TooLong
    await apply_draft(ctx, entry.id, body_from(DraftApply, {"when": "release"}), seen=entry.digest)
    # An approval merges what has changed in the article since.
    approved = replace(entry, approved=(await find_draft(ctx, entry.id)).text_digest)
    await review_queries.store_review(ctx, work.pull, with_entry(work, approved))
    return approved


async def dismiss(work: HeldPull, ctx: Ctx, entry: ShownDraft, command: PullCommand) -> ShownDraft:
    await dismiss_draft(ctx, entry.id, body_from(DraftDismiss, command.reasons))
    return entry


def with_entry(work: HeldPull, after: ShownDraft) -> list[ShownDraft]:
    return [after if draft.number == after.number else draft for draft in work.entries]


def without_ticks(line: str) -> str:
    """A line of a comment inside of backticks, where nothing else has a meaning."""
    return shorten(line.replace("`", "'"), limits.MAX_QUOTED_COMMAND_CHARACTERS)
