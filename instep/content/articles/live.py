"""SQL: which articles visitors may read."""

from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC

# Published articles of every visibility: what a visitor may read who has signed in (contract section 10).
LIVE_TO_SIGNED_IN = f"""
    from articles a
    left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
    {ANCESTORS}
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
      and a.status = 'published' and a.deleted_at is null
"""
# What everyone may read. The strictest of article, collection and the collections above it decides (contract
# sections 4 and 10).
LIVE = f"""{LIVE_TO_SIGNED_IN}
      and a.visibility = 'public' and {IS_PUBLIC}
"""
