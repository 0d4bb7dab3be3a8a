"""SQL on the ancestors of a collection: its visibility, and its position in the reading order."""

# A collection is on one of three levels (`limits.MAX_COLLECTION_LEVELS`), so it has at most two ancestors.
# They belong to the same bot, by foreign keys. They are looked up by id alone: while a new table has no
# statistics, PostgreSQL would otherwise read all collections of the bot for each of them.
ANCESTORS = """
    left join collections parent on parent.workspace_id = %(workspace)s and parent.id = c.parent_id
    left join collections grandparent
        on grandparent.workspace_id = %(workspace)s and grandparent.id = parent.parent_id
"""
# The strictest visibility of a collection and its ancestors applies (contract section 10); true without a
# collection. PostgreSQL can estimate this form: with `coalesce` it would expect almost no rows,
# and plan nested loops over thousands.
IS_PUBLIC = """
    ((c.visibility is null or c.visibility = 'public')
        and (parent.visibility is null or parent.visibility = 'public')
        and (grandparent.visibility is null or grandparent.visibility = 'public'))
"""


def _rank(level: str) -> str:
    """A text that sorts siblings by their order, then by age, then by id; null for a missing ancestor."""
    age = f"(extract(epoch from {level}.created_at) * 1000000)::bigint"
    return f"lpad({level}.sort_order::text, 10, '0') || lpad({age}::text, 17, '0') || {level}.id"


# text[]: the ranks from the highest level down. A prefix of an array sorts before the whole, so this is
# the reading order: parents before children, depth first.
PLACE = (
    f"(array_remove(array[{_rank('grandparent')}, {_rank('parent')}, {_rank('c')}], null)" + ' collate "C")'
)
