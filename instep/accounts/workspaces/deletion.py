"""The deletion of a workspace with everything that belongs to it."""

from dataclasses import dataclass
from graphlib import TopologicalSorter

from instep.accounts.workspaces import queries
from instep.accounts.workspaces.actions import find_workspace
from instep.accounts.workspaces.schemas import Workspace
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import OPERATOR

# Triggers delete these with the files, except what is in a bucket: the next sweep of files removes that.
OBJECTS = {"stored_objects", "object_chunks"}


@dataclass(frozen=True, slots=True)
class ReferringTable:
    """A table with rows of workspaces, and the other tables that its foreign keys refer to."""

    name: str
    parents: list[str]


async def delete_workspace(tx: Tx, reference: str, confirmed_name: str) -> Workspace:
    """Delete a paused workspace, and the people who are in no other; one entry of the audit log remains."""
    workspace = await find_workspace(tx, reference)
    if len(await queries.list_workspaces(tx)) == 1:
        raise InvalidRequest("This is the only workspace: delete the data folder and the database instead.")
    if workspace.paused_at is None:
        raise InvalidRequest(
            f"The workspace is in use: pause it first, `instep workspace pause {workspace.id}`."
        )
    if confirmed_name != workspace.name:
        raise InvalidRequest(f"Confirm the deletion with the name of the workspace, {workspace.name}.")
    async with tx.transaction():
        await _lock(tx, workspace.id)
        await _delete_rows(tx, workspace.id)
        await record(tx, workspace.id, OPERATOR, "delete_workspace", workspace.id)
    return workspace


async def _lock(tx: Tx, workspace_id: str) -> None:
    """Wait for transactions that write to the workspace; later ones wait, and then find nothing."""
    await tx.advisory_lock(workspace_id)
    await tx.execute("select from workspaces where id = %(workspace)s for update", workspace=workspace_id)
    await tx.execute("select from bots where workspace_id = %(workspace)s for update", workspace=workspace_id)


async def _delete_rows(tx: Tx, workspace_id: str) -> None:
    await tx.execute(
        """
        delete from people p where p.unproved_in = %(workspace)s or exists (
            select from memberships m where m.person_id = p.id and m.workspace_id = %(workspace)s)
          and not exists (
            select from memberships m where m.person_id = p.id and m.workspace_id <> %(workspace)s)
        """,
        workspace=workspace_id,
    )
    tables = {table.name: table.parents for table in await _list_tables(tx) if table.name not in OBJECTS}
    # A table follows its parents in this order.
    for name in reversed([*TopologicalSorter(tables).static_order()]):
        if name in tables:
            await tx.execute(
                f'delete from "{name}" where workspace_id = %(workspace)s', workspace=workspace_id
            )
    await tx.execute("delete from workspaces where id = %(workspace)s", workspace=workspace_id)


async def _list_tables(tx: Tx) -> list[ReferringTable]:
    return await tx.all(
        ReferringTable,
        """
        select t.relname as name, array(
            select p.relname from pg_constraint c join pg_class p on p.oid = c.confrelid
            where c.conrelid = t.oid and c.contype = 'f' and p.oid <> t.oid) as parents
        from pg_class t join pg_attribute a on a.attrelid = t.oid
        where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and a.attname = 'workspace_id'
        """,
    )
