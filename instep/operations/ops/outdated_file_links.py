"""Texts that show the bot's own files at an address that the installation no longer has."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from instep.platform.core.database import Tx

# Texts are stored as they were sent, so a full URL of a file keeps the host that it had then.
OUTDATED_LINKS = """
    select b.slug as bot, match[1] as origin, count(distinct t.id) as texts, min(t.title) as title
    from file_references r
    join bots b on b.workspace_id = r.workspace_id and b.id = r.bot_id
    join files f on f.workspace_id = r.workspace_id and f.bot_id = r.bot_id and f.sha256 = r.sha256
    join lateral (
        select a.id, a.title, a.content_markdown from articles a
        where r.source = 'article' and a.workspace_id = r.workspace_id and a.id = r.source_id
          and a.deleted_at is null
        union all
        select e.id, e.title, e.content_markdown from changelog_entries e
        where r.source = 'changelog_entry' and e.workspace_id = r.workspace_id and e.id = r.source_id
    ) t on true
    cross join lateral regexp_matches(
        t.content_markdown, '(https?://[^/\\s]+)/files/' || b.slug || '/' || r.sha256, 'g') match
    where lower(split_part(match[1], '/', 3)) not in (%(host)s, coalesce(b.domain, ''))
    group by b.slug, match[1] order by b.slug, match[1]
"""


@dataclass(frozen=True, slots=True)
class OutdatedOrigin:
    """An origin in the texts of a bot, the number of these texts, and the title of one."""

    bot: str
    origin: str
    texts: int
    title: str


async def outdated_link_problems(tx: Tx, base_url: str) -> list[str]:
    origins = await tx.all(OutdatedOrigin, OUTDATED_LINKS, host=urlsplit(base_url).netloc.lower())
    return [
        f"Texts of {former.bot} ({former.texts}, such as “{former.title}”) show files at {former.origin},"
        f" which is not this installation's address: replace {former.origin}/files by /files in them."
        for former in origins
    ]
