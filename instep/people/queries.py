"""SQL of people, sessions and the audit log."""

from typing import Any

from instep.core.database import Tx
from instep.people.schemas import AuditEntry, Candidate, User

USER = "id, workspace_id, email, role, created_at, signed_in_at, disabled_at"
ENTRY = (
    "id, workspace_id, bot_id, actor_type, actor_id, actor_name, app, channel, action, resource, created_at"
)


async def name_of_workspace(tx: Tx, workspace_id: str) -> str:
    name: str = await tx.value("select name from workspaces where id = %(id)s", id=workspace_id)
    return name


async def insert_user(tx: Tx, row: dict[str, Any]) -> User | None:
    """None if the address is already used in the installation."""
    return await tx.first(
        User,
        f"""
        insert into people (id, workspace_id, email, password_hash, role)
        values (%(id)s, %(workspace_id)s, %(email)s, %(password_hash)s, %(role)s)
        on conflict (email) do nothing returning {USER}
        """,
        **row,
    )


async def list_users(tx: Tx, workspace_id: str) -> list[User]:
    return await tx.all(
        User,
        f"select {USER} from people where workspace_id = %(workspace)s order by created_at, id",
        workspace=workspace_id,
    )


async def lock_user(tx: Tx, workspace_id: str, email: str) -> User | None:
    return await tx.first(
        User,
        f"select {USER} from people where workspace_id = %(workspace)s and email = %(email)s for update",
        workspace=workspace_id,
        email=email,
    )


async def set_role(tx: Tx, user_id: str, role: str) -> User:
    sql = f"update people set role = %(role)s where id = %(id)s returning {USER}"
    return await tx.fetch_one(User, sql, id=user_id, role=role)


async def set_disabled(tx: Tx, user_id: str, is_disabled: bool) -> User:
    return await tx.fetch_one(
        User,
        f"""
        update people set disabled_at = case when %(disabled)s then coalesce(disabled_at, now()) end
        where id = %(id)s returning {USER}
        """,
        id=user_id,
        disabled=is_disabled,
    )


async def set_password(tx: Tx, user_id: str, password_hash: str) -> None:
    sql = "update people set password_hash = %(hash)s where id = %(id)s"
    await tx.execute(sql, id=user_id, hash=password_hash)


async def end_sessions(tx: Tx, user_id: str) -> None:
    await tx.execute("delete from sessions where person_id = %(id)s", id=user_id)


async def find_for_sign_in(tx: Tx, email: str) -> Candidate | None:
    return await tx.first(Candidate, "select * from find_for_sign_in(%(email)s)", email=email)


async def begin_session(
    tx: Tx, person_id: str, password_hash: str, new_hash: str | None, token_hash: bytes
) -> bool:
    """False if the password was changed or the person disabled while the password was checked."""
    has_begun: bool = await tx.value(
        "select begin_session(%(person)s, %(current)s, %(new)s, %(token)s)",
        person=person_id,
        current=password_hash,
        new=new_hash,
        token=token_hash,
    )
    return has_begun


async def end_session(tx: Tx, token_hash: bytes) -> None:
    await tx.value("select end_session(%(hash)s)", hash=token_hash)


async def list_audit(tx: Tx, workspace_id: str, limit: int, before: int | None) -> list[AuditEntry]:
    """The entries before the id `before`, newest first."""
    return await tx.all(
        AuditEntry,
        f"""
        select {ENTRY} from audit_entries
        where workspace_id = %(workspace)s and (%(before)s::bigint is null or id < %(before)s)
        order by id desc limit %(limit)s
        """,
        workspace=workspace_id,
        limit=limit,
        before=before,
    )
