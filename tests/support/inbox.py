"""Reads people's inboxes."""

from instep.platform.core.database import Tx


async def notices(owner: Tx, person_id: str) -> list[tuple[str, str]]:
    """The kind and subject of each of a person's notices, oldest first."""
    rows = await owner.value(
        """
        select coalesce(jsonb_agg(jsonb_build_array(kind, subject) order by created_at, id), '[]')
        from notices where person_id = %(person)s
        """,
        person=person_id,
    )
    return [(kind, subject) for kind, subject in rows]
