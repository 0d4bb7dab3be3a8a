"""SQL: the articles that visitors may read."""

from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC

# Published articles of every visibility, for signed-in visitors (contract section 10).
LIVE_TO_SIGNED_IN = f"""
    from articles a
    left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
    {ANCESTORS}
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
      and a.status = 'published' and a.deleted_at is null
"""
# Articles that everyone may read. The strictest of article, collection and its ancestors applies (contract
# sections 4 and 10).
LIVE = f"""{LIVE_TO_SIGNED_IN}
      and a.visibility = 'public' and {IS_PUBLIC}
"""
