"""The rule for an article's freshness, as SQL, so that lists can filter by it.

A published article has the first of these reasons that holds, and the state that goes with it:

- `draft`: an edit of it waits for review; `needs_review`
- `place`: a place in it needs words; `needs_review`
- `review_by`: its "look again by" date has come, and no person has verified it in the
  `limits.REVIEW_WINDOW` before the date or since; `needs_review`
- `feedback`: `limits.OUTDATED_READERS` readers called it outdated since it was written or verified;
  `needs_review`
- `age`: it was neither written nor verified within `limits.STALE_AFTER`; `stale`

Without a reason, an article is `verified` if its current text was verified, and otherwise has no state.
Unpublished articles have none.
"""

from instep.content.collections.visibility import ANCESTORS
from instep.platform.core import limits

EDIT_WAITS = """exists (select from drafts d
    where d.workspace_id = %(workspace)s and d.bot_id = a.bot_id and d.article_id = a.id
      and d.status = 'pending' and d.type = 'edit')"""
PLACE_IS_OPEN = """exists (select from places w
    where w.workspace_id = %(workspace)s and w.article_id = a.id and w.status = 'open')"""
DATE_HAS_COME = f"""(care.review_by <= (now() at time zone 'UTC')::date and coalesce(
    a.reviewed_at < (care.review_by - {limits.REVIEW_WINDOW.days})::timestamp at time zone 'UTC', true))"""
READERS_DOUBT = f"""(select count(*) from (select from article_feedback f
    where f.workspace_id = %(workspace)s and f.article_id = a.id
      and f.given_at > coalesce(a.verified_at, a.text_changed_at) and f.reason = 'outdated'
    limit {limits.OUTDATED_READERS}) doubts) >= {limits.OUTDATED_READERS}"""
IS_OLD = f"coalesce(a.verified_at, a.text_changed_at) <= now() - interval '{limits.STALE_AFTER.days} days'"
REASON = f"""
    case when {EDIT_WAITS} then 'draft' when {PLACE_IS_OPEN} then 'place'
        when {DATE_HAS_COME} then 'review_by'
        when {READERS_DOUBT} then 'feedback' when {IS_OLD} then 'age' end
"""
# The format of `isoformat`.
VERIFIED_AT = """to_char(a.verified_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
# The values of an article `a`, or of the nearest collection that has them.
CARE = """
    (select coalesce(a.owner_id, c.owner_id, parent.owner_id, grandparent.owner_id) as owner_id,
        coalesce(a.review_by, c.review_by, parent.review_by, grandparent.review_by) as review_by)
"""
# `offset 0` keeps PostgreSQL from working the reason out again wherever it is named.
# jsonb: {freshness: {state, verifiedAt, verifiedCommit, verifiedBy, reason}|null, owner: {name}|null,
# reviewBy: a date|null}, in the shape of the API.
STANDING = f"""
    (select jsonb_build_object(
        'freshness', case when why.reason is not null or a.verified_at is not null and a.status = 'published'
            then jsonb_build_object(
                'state', case why.reason when 'age' then 'stale' else
                    case when why.reason is null then 'verified' else 'needs_review' end end,
                'reason', why.reason, 'verifiedAt', {VERIFIED_AT},
                'verifiedCommit', a.verified_commit, 'verifiedBy', a.verified_by) end,
        'owner', (select jsonb_build_object('name', p.email) from people p where p.id = care.owner_id),
        'reviewBy', care.review_by)
    from (select) one
    left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
    {ANCESTORS}
    cross join lateral {CARE} care
    cross join lateral (select case when a.status = 'published' then {REASON} end as reason offset 0) why)
"""
STATE = f"{STANDING} #>> '{{freshness,state}}'"
OWNER = f"{STANDING} #>> '{{owner,name}}'"
