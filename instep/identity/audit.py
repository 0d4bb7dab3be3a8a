"""The audit log: who did what to which resource, when, by which channel and through which app."""

from uuid import UUID

from instep.core.database import Tx
from instep.identity.schemas import Actor

INSERT = """
    insert into audit_entries
      (workspace_id, bot_id, actor_type, actor_id, actor_name, app, channel, action, resource)
    values (
      %(workspace)s, %(bot)s, %(type)s, %(id)s, %(name)s, %(app)s, %(channel)s, %(action)s, %(resource)s)
"""


async def record(
    tx: Tx, workspace_id: str, actor: Actor, action: str, resource: str | None = None, bot: UUID | None = None
) -> None:
    """Record a change in the audit log, in the same transaction."""
    await tx.execute_at_commit(
        INSERT,
        workspace=workspace_id,
        bot=bot,
        type=actor.type,
        id=actor.id,
        name=actor.name,
        app=actor.app,
        channel=actor.channel,
        action=action,
        resource=resource,
    )
