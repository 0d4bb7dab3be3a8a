"""The digest of what waits for review, which people get by email every day or every week."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from instep.drafting.drafts.digest import REPORTER, NewItems, list_new_items
from instep.drafting.drafts.overdue import follow_up
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring
from instep.platform.email.letters import Letter, LetterItem, name_in_email
from instep.platform.email.outgoing import can_send_email, email_locale, send_email
from instep.platform.email.unsubscribing import unsubscribe_url
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.web.catalogues import catalogue_of, message

SEND_DIGESTS = "send_digests"
EVERY = timedelta(hours=1)
FOOTNOTES = {
    "daily": message("You get this digest every day. You can change that in your account."),
    "weekly": message("You get this digest every week. You can change that in your account."),
}


@dataclass(frozen=True, slots=True)
class DigestReader:
    """A member whose digest is due."""

    workspace_id: str
    person_id: str
    email: str
    digest: str


async def schedule_digests(database: Database) -> None:
    """Schedule one look for due digests an hour, however many processes call this."""
    await schedule_recurring(database, SEND_DIGESTS, EVERY)


async def send_digests(database: Database, job: Job) -> None:
    """Follow up on what waits, then send the digests that are due: daily and, on Mondays, weekly ones."""
    await schedule_next(partial(schedule_digests, database))
    await follow_up(database)
    if not can_send_email():
        return
    async with database.enter_workspace("") as tx:
        readers = await tx.all(DigestReader, "select * from due_digests()")
    for workspace_id, members in groupby(readers, attrgetter("workspace_id")):
        async with database.enter_workspace(workspace_id) as tx:
            await send_digests_of(tx, workspace_id, list(members))


async def send_digests_of(tx: Tx, workspace_id: str, readers: Sequence[DigestReader]) -> None:
    """Send what waits in a workspace to its readers, each once; without anything that waits, send nothing."""
    waiting = await list_waiting(tx, workspace_id)
    for reader in readers:
        async with tx.transaction():
            if await claim(tx, reader) and waiting:
                locale = await email_locale(tx, workspace_id, reader.email)
                letter = digest_letter(locale, reader, waiting)
                await send_email(tx, workspace_id, reader.email, letter, locale)


async def list_waiting(tx: Tx, workspace_id: str) -> list[tuple[Bot, list[NewItems]]]:
    """The sources of drafts and places that wait, by bot; bots without any are left out."""
    sql = "select array_agg(id order by lower(name), id) from bots where workspace_id = %(workspace)s"
    ids: list[UUID] = await tx.value(sql, workspace=workspace_id) or []
    bots = [await find_bot(tx, bot_id) for bot_id in ids]
    sources = [(bot, await list_new_items(Ctx(tx, bot, REPORTER, utc_now()), None)) for bot in bots]
    return [(bot, items) for bot, items in sources if items]


async def claim(tx: Tx, reader: DigestReader) -> bool:
    """Note that the member gets the digest; False if another job has sent it, or if they unsubscribed."""
    sql = """
        update memberships set digest_sent_at = now()
        where workspace_id = %(workspace)s and person_id = %(person)s and digest = %(digest)s
          and digest_sent_at < digest_due_since(digest)
    """
    values = {"workspace": reader.workspace_id, "person": reader.person_id, "digest": reader.digest}
    return await tx.execute(sql, **values) == 1


def digest_letter(locale: str, reader: DigestReader, waiting: list[tuple[Bot, list[NewItems]]]) -> Letter:
    catalogue = catalogue_of(locale)
    dashboard = f"{settings().base_url}/app"

    def waiting_words(number: int) -> str:
        return catalogue.ngettext(
            "%(number)s item waits for review", "%(number)s items wait for review", number
        )

    items = [
        LetterItem(
            name_in_email(source.title),
            f"{name_in_email(bot.name)} · {waiting_words(source.drafts + source.places)}",
            f"{dashboard}/{bot.slug}/review/{source.newest_id}",
        )
        for bot, sources in waiting
        for source in sources
    ]
    number = sum(source.drafts + source.places for _, sources in waiting for source in sources)
    return Letter(
        waiting_words(number),
        [catalogue.gettext("These drafts and places wait in your help centers:")],
        (catalogue.gettext("Review them"), f"{dashboard}/{waiting[0][0].slug}/review"),
        items[: limits.MAX_DIGEST_SOURCES],
        [catalogue.gettext(FOOTNOTES[reader.digest])],
        unsubscribe=unsubscribe_url("digest", reader.workspace_id, reader.person_id),
    )
