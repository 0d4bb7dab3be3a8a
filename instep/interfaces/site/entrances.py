"""The SQL that begins a visit: it finds the help center, and enters its workspace."""

from instep.content.articles.live import LIVE
from instep.platform.core import limits
from instep.platform.identity.queries import READ_VERSION

# It is compared like the parameter of the workspace (`core.pipeline`).
WORKSPACE = 's.workspace_id collate "C"'
# The state that shows whether a rendered page is current: every change of public content has a later stamp.
STATE_COLUMNS = f"""
    s.*, (select b.domain from bots b where b.id = s.bot_id) as bot_domain,
    (select array[b.accent_light, b.accent_dark] from bots b
        where b.id = s.bot_id and b.accent is not null) as accent,
    (select b.frame from bots b where b.id = s.bot_id) as frame,
    (select b.changed_at from bots b where b.id = s.bot_id) as changed_at,
    (select t.created_at from tasks t
        where t.bot_id = s.bot_id and t.workspace_id = {WORKSPACE}
            and t.type = 'document_change' and t.status = 'completed'
        order by t.created_at desc, t.id desc limit 1) as compared_at
"""
LIVE_AT_SITE = LIVE.replace("%(bot)s", "s.bot_id").replace("%(workspace)s", WORKSPACE)
# The languages of live articles: each takes one index lookup, however many articles there are.
NEXT_LOCALE = f"(select a.locale {LIVE_AT_SITE} {{condition}} order by a.locale limit 1)"
LOCALES = f"""
    with recursive l (locale) as (
        select {NEXT_LOCALE.format(condition="")}
        union all
        select {NEXT_LOCALE.format(condition="and a.locale > l.locale")} from l where l.locale is not null
    ) select l.locale from l where l.locale is not null limit {limits.MAX_SITE_LANGUAGES}
"""
# All pages link to a changelog with entries. The order makes PostgreSQL look up the newest one in the
# index of published entries; `exists` could make it scan all of them.
# The product versions, the newest first.
VERSIONS = f"""
    select {READ_VERSION} from product_versions v
    where v.bot_id = s.bot_id and v.workspace_id = {WORKSPACE} order by v.position desc
"""
ARRIVAL_COLUMNS = f"""
    {STATE_COLUMNS},
    coalesce((select true from changelog_entries e
        where e.bot_id = s.bot_id and e.workspace_id = {WORKSPACE} and e.status = 'published'
        order by e.published_at desc, e.id desc limit 1), false) as has_changelog,
    array({LOCALES}) as locales,
    array({VERSIONS}) as versions
"""

SITE_STATE = f"select {STATE_COLUMNS} from enter_site(%(slug)s) s"
ARRIVE = f"select {ARRIVAL_COLUMNS} from enter_site(%(slug)s) s"
# The same for a visit by a preview link.
ARRIVE_BY_PREVIEW = f"""
    select p.draft_id, p.source_key, p.expires_at, {ARRIVAL_COLUMNS}
    from find_preview(%(id)s) p, lateral enter_site(p.preview_slug) s
"""
# Begins a request that shows no page.
ENTER_SITE = """
    select s.*, (select b.domain from bots b where b.id = s.bot_id) as bot_domain from enter_site(%(slug)s) s
"""
# A search is counted before anything else is done for it.
COUNT_SEARCH = """
    select 'site-search' as policy, %(quota)s::integer as quota, %(seconds)s::integer as seconds,
        hit.hits, hit.seconds_left
    from enter_site(%(slug)s) s,
        count_hit('site-search', s.bot_id || ' ' || %(address)s::text, %(seconds)s) hit
"""
ENTER_FRONT_PAGE = "select f.has_bots, f.workspace_id from enter_front_page() f"
