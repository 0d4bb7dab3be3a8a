"""Checks that each acknowledged write exists exactly once."""

from collections import Counter
from collections.abc import Iterable

from instep.platform.core.database import Tx

# The text of each version: the current ones and those that were replaced.
TEXTS = """
    select array_agg(text) from (
      select content_markdown as text from articles where slug like 'written-%%'
      union all
      select r.content_markdown from revisions r join articles a on a.id = r.article_id
      where a.slug like 'written-%%') as texts
"""
SLUGS = "select array_agg(slug) from articles where slug like 'written-%%'"
TASKS = "select array_agg(article ->> 'title') from tasks"
# One event per text that was public.
EVENTS = """
    select array_agg(format('%%s %%s', object ->> 'slug', object ->> 'version')) from events,
      lateral (select convert_from(body, 'UTF8')::jsonb -> 'data' -> 'object' as object) as told
    where type in ('article.published', 'article.updated')
"""
# The drafts of tasks, and the tasks that have ended.
DRAFTS = "select array_agg(article ->> 'title') from tasks t join drafts d on d.task_id = t.id"
ENDS = "select array_agg(article ->> 'title') from tasks where status = 'completed'"
UNFINISHED = "select count(*) from tasks where status in ('queued', 'running')"
DEAD_JOBS = "select count(*) from jobs where run_at is null"


async def lost_and_doubled(tx: Tx, acknowledged: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names of acknowledged writes that are lost, and of writes that exist twice."""
    present = Counter[str]()
    for sql in (TEXTS, TASKS):
        present.update(await tx.value(sql) or [])
    doubled = {name for name, number in present.items() if number > 1}
    for sql in (SLUGS, EVENTS, DRAFTS):
        counts = Counter[str](await tx.value(sql) or [])
        doubled.update(name for name, number in counts.items() if number > 1)
    return [name for name in acknowledged if name not in present], sorted(doubled)


async def missing_effects(tx: Tx) -> list[str]:
    """Writes without their effects: an event, or a task's draft."""
    texts, events = set(await tx.value(TEXTS) or []), set(await tx.value(EVENTS) or [])
    tasks, drafts = set(await tx.value(TASKS) or []), set(await tx.value(DRAFTS) or [])
    ended = set(await tx.value(ENDS) or [])
    return sorted((texts - events) | (tasks - drafts) | (tasks - ended))


async def is_settled(tx: Tx) -> bool:
    """True if all deliveries have arrived and all tasks have ended."""
    pending: int = await tx.value("select count(*) from deliveries where status = 'pending'")
    unfinished: int = await tx.value(UNFINISHED)
    return pending == unfinished == 0
