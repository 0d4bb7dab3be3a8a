"""SQL of people, sessions and the audit log."""

from dataclasses import asdict
from typing import Any

from instep.accounts.people.schemas import (
    AuditEntry,
    Candidate,
    Invitation,
    Membership,
    OpenInvitation,
    OpenSession,
    ProviderAccount,
    SetupLink,
    User,
    WaitingInvitation,
)
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Person

USER = "m.person_id as id, m.workspace_id, p.email, m.role, m.created_at, p.signed_in_at, m.disabled_at"
INVITATION = "id, workspace_id, email, role, invited_by, created_at, expires_at"
MEMBERS = "memberships m join people p on p.id = m.person_id"
ENTRY = (
    "id, workspace_id, bot_id, actor_type, actor_id, actor_name, app, channel, action, resource, created_at"
)


async def name_of_workspace(tx: Tx, workspace_id: str) -> str:
    return await tx.value("select name from workspaces where id = %(id)s", id=workspace_id)


async def insert_user(tx: Tx, row: dict[str, Any]) -> User | None:
    """Insert a person; None if the address has a proved account or is a member's of this workspace."""
    return await tx.first(
        User,
        f"""
        with p as (
          insert into people (id, email, password_hash)
          select %(id)s, %(email)s, %(password_hash)s
          where not exists (
            select from memberships m join people o on o.id = m.person_id
            where m.workspace_id = %(workspace_id)s and o.email = %(email)s)
          on conflict (email) where unproved_in is null do nothing returning *
        ), m as (
          insert into memberships (workspace_id, person_id, role)
          select %(workspace_id)s, p.id, %(role)s from p returning *
        )
        select {USER} from m join p on p.id = m.person_id
        """,
        **row,
    )


async def list_users(tx: Tx, workspace_id: str) -> list[User]:
    return await tx.all(
        User,
        f"select {USER} from {MEMBERS} where m.workspace_id = %(workspace)s order by m.created_at, p.id",
        workspace=workspace_id,
    )


async def find_member_id(tx: Tx, workspace_id: str, email: str) -> str | None:
    """The id of a person with this address who may work in the workspace."""
    return await tx.value(
        f"""
        select m.person_id from {MEMBERS}
        where m.workspace_id = %(workspace)s and lower(p.email) = lower(%(email)s) and m.disabled_at is null
        """,
        workspace=workspace_id,
        email=email,
    )


async def lock_user(tx: Tx, workspace_id: str, email: str) -> User | None:
    return await tx.first(
        User,
        f"""
        select {USER} from {MEMBERS}
        where m.workspace_id = %(workspace)s and p.email = %(email)s for update of m
        """,
        workspace=workspace_id,
        email=email,
    )


async def set_role(tx: Tx, user: User, role: str) -> User:
    return await tx.fetch_one(
        User,
        f"""
        update memberships m set role = %(role)s from people p
        where m.workspace_id = %(workspace)s and m.person_id = %(id)s and p.id = m.person_id
        returning {USER}
        """,
        workspace=user.workspace_id,
        id=user.id,
        role=role,
    )


async def set_disabled(tx: Tx, user: User, is_disabled: bool) -> User:
    return await tx.fetch_one(
        User,
        f"""
        update memberships m
        set disabled_at = case when %(disabled)s then coalesce(m.disabled_at, now()) end from people p
        where m.workspace_id = %(workspace)s and m.person_id = %(id)s and p.id = m.person_id
        returning {USER}
        """,
        workspace=user.workspace_id,
        id=user.id,
        disabled=is_disabled,
    )


async def lock_owners(tx: Tx, workspace_id: str) -> None:
    """Lock all owners until this transaction ends.

    This comes before a lock on a single member: in another order two of these changes could deadlock.
    """
    await tx.execute(
        """
        select from memberships where workspace_id = %(workspace)s and role = 'owner'
        order by person_id for update
        """,
        workspace=workspace_id,
    )


async def has_other_owner(tx: Tx, user: User) -> bool:
    """True if someone else who may sign in owns the workspace, whose owners are locked."""
    return await tx.value(
        """
        select exists (
          select from memberships
          where workspace_id = %(workspace)s and person_id <> %(id)s and role = 'owner'
            and disabled_at is null)
        """,
        workspace=user.workspace_id,
        id=user.id,
    )


async def set_password(tx: Tx, user_id: str, password_hash: str) -> None:
    """Set the password from the operator; the account is then proved unless its address has another one."""
    await tx.execute(
        """
        update people p set password_hash = %(hash)s, unproved_in = case when exists (
          select from people o where o.email = p.email and o.unproved_in is null) then p.unproved_in end
        where p.id = %(id)s
        """,
        id=user_id,
        hash=password_hash,
    )


async def end_sessions_in_workspace(tx: Tx, user: User) -> None:
    await tx.execute(
        "delete from sessions where workspace_id = %(workspace)s and person_id = %(id)s",
        workspace=user.workspace_id,
        id=user.id,
    )


async def end_sessions(
    tx: Tx, person_id: str, session_id: str | None = None, *, but: str | None = None
) -> int:
    """End one session of a person in any workspace, or all of them `but` one; return how many ended."""
    return await tx.value(
        "select end_sessions_of(%(person)s, %(id)s, %(but)s)", person=person_id, id=session_id, but=but
    )


async def find_for_sign_in(tx: Tx, email: str) -> list[Candidate]:
    """The accounts of the address that may enter a workspace, a proved one first."""
    return await tx.all(Candidate, "select * from find_for_sign_in(%(email)s, null)", email=email)


async def has_signed_in(tx: Tx, person_id: str) -> bool:
    return await tx.value("select signed_in_at is not null from people where id = %(id)s", id=person_id)


async def set_digest(tx: Tx, workspace_id: str, person_id: str, digest: str) -> None:
    await tx.execute(
        """
        update memberships set digest = %(digest)s
        where workspace_id = %(workspace)s and person_id = %(person)s
        """,
        workspace=workspace_id,
        person=person_id,
        digest=digest,
    )


async def find_digest(tx: Tx, person: Person) -> str:
    """The frequency of the digest that the person gets of the workspace."""
    sql = "select digest from memberships where workspace_id = %(workspace)s and person_id = %(person)s"
    return await tx.value(sql, workspace=person.workspace_id, person=person.id)


async def find_locale(tx: Tx, person: Person) -> str | None:
    """The language that the person has chosen for emails; None means that of the first help center."""
    return await tx.value("select locale from people where id = %(id)s", id=person.id)


async def set_locale(tx: Tx, person: Person, locale: str | None) -> None:
    await tx.execute("select set_locale(%(person)s, %(locale)s)", person=person.id, locale=locale)


async def find_account(tx: Tx, person_id: str | None) -> Candidate | None:
    """The account of a person who may enter a workspace."""
    return await tx.first(Candidate, "select * from find_for_sign_in(null, %(person)s)", person=person_id)


async def prove_address(tx: Tx, email: str, secret: str) -> list[WaitingInvitation]:
    """End the accounts created without a proof of the address; their memberships become invitations."""
    return await tx.all(
        WaitingInvitation,
        "select * from prove_address(%(email)s, %(secret)s, %(ttl)s)",
        email=email,
        secret=secret,
        ttl=limits.INVITATION_TTL,
    )


async def find_provider_account(tx: Tx, account: ProviderAccount) -> str | None:
    """The address of the person with this provider account."""
    sql = "select find_provider_account(%(issuer)s, %(client_id)s, %(subject)s)"
    return await tx.value(sql, **asdict(account))


async def has_provider_account(tx: Tx, account: ProviderAccount, email: str) -> bool:
    """True if the person with this address has an account at the same provider."""
    sql = "select has_provider_account(%(issuer)s, %(client_id)s, %(email)s)"
    return await tx.value(sql, issuer=account.issuer, client_id=account.client_id, email=email)


async def link_provider_account(tx: Tx, person_id: str, account: ProviderAccount) -> None:
    """Link the person's account at the provider, replacing an earlier one."""
    await tx.execute(
        """
        with earlier as (
          delete from provider_accounts
          where person_id = %(person)s and issuer = %(issuer)s and client_id = %(client_id)s
            and subject <> %(subject)s)
        insert into provider_accounts (issuer, client_id, subject, person_id)
        values (%(issuer)s, %(client_id)s, %(subject)s, %(person)s)
        on conflict do nothing
        """,
        person=person_id,
        **asdict(account),
    )


async def is_proved(tx: Tx, person_id: str) -> bool:
    sql = "select unproved_in is null from people where id = %(id)s"
    return await tx.value(sql, id=person_id)


async def begin_session(
    tx: Tx, candidate: Candidate, new_hash: str | None, token_hash: bytes, session_id: str, browser: str
) -> bool:
    """Begin a session; False if the password changed or the person was disabled during the check."""
    return await tx.value(
        """
        select begin_session(
          %(person)s, %(workspace)s, %(current)s, %(new)s, %(token)s, %(id)s, %(browser)s)
        """,
        person=candidate.id,
        workspace=candidate.workspace_id,
        current=candidate.password_hash,
        new=new_hash,
        token=token_hash,
        id=session_id,
        browser=browser,
    )


async def change_password(tx: Tx, candidate: Candidate, new_hash: str) -> bool:
    """Change the password; False if it is no longer the candidate's."""
    return await tx.value(
        "select change_password(%(person)s, %(current)s, %(new)s)",
        person=candidate.id,
        current=candidate.password_hash,
        new=new_hash,
    )


async def change_address(tx: Tx, person: Person, email: str) -> bool:
    """Change the address of a person who has proved the new one; False if someone has it already."""
    sql = "select change_address(%(person)s, %(former)s, %(email)s)"
    return await tx.value(sql, person=person.id, former=person.email, email=email)


async def switch_session(tx: Tx, token_hash: bytes, workspace_id: str) -> bool:
    """Switch the session's workspace; False if its person may not enter it."""
    return await tx.value(
        "select switch_session(%(token)s, %(workspace)s)", token=token_hash, workspace=workspace_id
    )


async def verify_session(tx: Tx, token_hash: bytes) -> None:
    await tx.execute("select verify_session(%(token)s)", token=token_hash)


async def list_memberships(tx: Tx, person_id: str) -> list[Membership]:
    return await tx.all(Membership, "select * from memberships_of(%(person)s)", person=person_id)


async def list_sessions(tx: Tx, person_id: str) -> list[OpenSession]:
    return await tx.all(
        OpenSession,
        "select * from sessions_of(%(person)s, %(idle)s, %(most)s)",
        person=person_id,
        idle=limits.SESSION_IDLE_TTL,
        most=limits.SESSION_MAX_AGE,
    )


async def end_session(tx: Tx, token_hash: bytes) -> None:
    await tx.value("select end_session(%(hash)s)", hash=token_hash)


async def list_audit(
    tx: Tx, workspace_id: str, limit: int, before: int | None, actor: str | None, action: str | None
) -> list[AuditEntry]:
    """The entries before the id `before`, newest first; `actor` and `action` are parts of names."""
    return await tx.all(
        AuditEntry,
        f"""
        select {ENTRY} from audit_entries
        where workspace_id = %(workspace)s and (%(before)s::bigint is null or id < %(before)s)
          and (%(actor)s::text is null or strpos(lower(actor_name), lower(%(actor)s)) > 0)
          and (%(action)s::text is null or strpos(action, replace(lower(%(action)s), ' ', '_')) > 0)
        order by id desc limit %(limit)s
        """,
        workspace=workspace_id,
        actor=actor,
        action=action,
        limit=limit,
        before=before,
    )


async def lock_invitations(tx: Tx, workspace_id: str) -> None:
    """Prevent other invitations to the workspace until this transaction ends."""
    await tx.advisory_lock(f"invitations {workspace_id}")


async def count_invitations(tx: Tx, workspace_id: str) -> int:
    sql = "select count(*) from invitations where workspace_id = %(workspace)s and expires_at > now()"
    return await tx.value(sql, workspace=workspace_id)


async def insert_invitation(tx: Tx, row: dict[str, Any]) -> Invitation:
    return await tx.fetch_one(
        Invitation,
        f"""
        insert into invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
        values (%(id)s, %(workspace_id)s, %(email)s, %(role)s, %(token_hash)s, %(invited_by)s,
          now() + %(ttl)s)
        returning {INVITATION}
        """,
        **row,
    )


async def list_invitations(tx: Tx, workspace_id: str) -> list[Invitation]:
    return await tx.all(
        Invitation,
        f"""
        select {INVITATION} from invitations where workspace_id = %(workspace)s and expires_at > now()
        order by created_at desc, id desc limit %(most)s
        """,
        workspace=workspace_id,
        most=limits.MAX_INVITATIONS,
    )


async def delete_invitation(tx: Tx, workspace_id: str, invitation_id: str) -> bool:
    sql = "delete from invitations where workspace_id = %(workspace)s and id = %(id)s"
    return await tx.execute(sql, workspace=workspace_id, id=invitation_id) == 1


async def delete_invitations_to(tx: Tx, workspace_id: str, email: str) -> None:
    sql = "delete from invitations where workspace_id = %(workspace)s and email = %(email)s"
    await tx.execute(sql, workspace=workspace_id, email=email)


async def delete_invitations_by(tx: Tx, workspace_id: str, email: str) -> None:
    sql = "delete from invitations where workspace_id = %(workspace)s and invited_by = %(email)s"
    await tx.execute(sql, workspace=workspace_id, email=email)


async def delete_links_of(tx: Tx, person_id: str) -> None:
    """Delete the links that could sign the person in."""
    await tx.execute("delete from setup_links where person_id = %(id)s", id=person_id)


async def find_invitation(tx: Tx, token_hash: bytes) -> OpenInvitation | None:
    return await tx.first(OpenInvitation, "select * from find_invitation(%(token)s)", token=token_hash)


async def accept_invitation(
    tx: Tx, token_hash: bytes, person_id: str, password_hash: str | None, *, has_proof: bool
) -> str | None:
    """Make a person a member, and return their id; None if the invitation can't be accepted.

    With a password, create an account that is valid in this workspace only; with a proof of the invited
    address, a proved one unless it exists. Otherwise the person with the id joins.
    All invitations of the address to the workspace end. A current member keeps their role.
    """
    return await tx.value(
        "select accept_invitation(%(token)s, %(person)s, %(hash)s, %(proof)s)",
        token=token_hash,
        person=person_id,
        hash=password_hash,
        proof=has_proof,
    )


async def find_workspace_to_set_up(tx: Tx) -> str | None:
    """The first workspace, if no person exists; runs as the database's owner."""
    return await tx.value(
        """
        select id from workspaces where not exists (select from people)
        order by created_at, id limit 1
        """
    )


async def insert_setup_link(tx: Tx, token_hash: bytes, workspace_id: str, person_id: str | None) -> None:
    await tx.execute(
        """
        insert into setup_links (token_hash, workspace_id, person_id, expires_at)
        values (%(token)s, %(workspace)s, %(person)s, now() + %(ttl)s)
        """,
        token=token_hash,
        workspace=workspace_id,
        person=person_id,
        ttl=limits.SETUP_LINK_TTL,
    )


async def find_setup_link(tx: Tx, token_hash: bytes) -> SetupLink | None:
    return await tx.first(SetupLink, "select * from find_setup_link(%(token)s)", token=token_hash)


async def use_sign_in_link(tx: Tx, token_hash: bytes) -> Candidate | None:
    return await tx.first(Candidate, "select * from use_sign_in_link(%(token)s)", token=token_hash)


async def set_up(tx: Tx, token_hash: bytes, candidate: Candidate, company: str) -> bool:
    """Set up the installation; False if a person exists or the link can't be used."""
    return await tx.value(
        "select set_up(%(token)s, %(person)s, %(email)s, %(hash)s, %(company)s)",
        token=token_hash,
        person=candidate.id,
        email=candidate.email,
        hash=candidate.password_hash,
        company=company,
    )


async def create_person_of_provider(tx: Tx, person_id: str, email: str, role: str) -> str | None:
    """The workspace of the new person; None if there are several workspaces, or the address is taken."""
    return await tx.value(
        "select create_person_of_provider(%(person)s, %(email)s, %(role)s)",
        person=person_id,
        email=email,
        role=role,
    )
