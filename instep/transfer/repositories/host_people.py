"""Maps names at a code host to members. Only owners set them: members can't claim a name."""

import re
from dataclasses import dataclass

from instep.platform.core.errors import InvalidValue
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.repositories.actions import get_repository
from instep.transfer.repositories.schemas import Repository

LOGIN = re.compile(r"[\w.-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class HostMember:
    """A member by their name at a code host, in lower case."""

    login: str
    person_id: str
    email: str


MEMBERS_BY_LOGIN = """
    select l.login, l.person_id, p.email
    from code_host_logins l
    join memberships m on m.workspace_id = l.workspace_id and m.person_id = l.person_id
    join people p on p.id = l.person_id
    where l.workspace_id = %(workspace)s and l.code_host_id = %(host)s
"""


async def list_host_members(ctx: Ctx, host_id: str) -> list[HostMember]:
    """The members with a name at the code host, by their names."""
    return await ctx.all(HostMember, f"{MEMBERS_BY_LOGIN} order by l.login", host=host_id)


async def find_member(ctx: Ctx, host_id: str, login: str) -> HostMember | None:
    """The member with this name at the code host; None if they may not decide about drafts."""
    return await ctx.first(
        HostMember,
        f"{MEMBERS_BY_LOGIN} and l.login = lower(%(login)s) and m.disabled_at is null and m.role <> 'viewer'",
        host=host_id,
        login=login,
    )


@writes
async def name_host_member(ctx: Ctx, repository_id: str, login: str, person_id: str) -> Repository:
    """Map a name at the repository's code host to a member."""
    repository = await get_repository(ctx, repository_id)
    name = login.strip().removeprefix("@").lower()
    if not LOGIN.fullmatch(name):
        raise InvalidValue("login", "it must be a user name at the code host, such as octocat")
    is_stored = await ctx.execute(
        """
        insert into code_host_logins (workspace_id, code_host_id, login, person_id)
        select workspace_id, %(host)s, %(login)s, person_id from memberships
        where workspace_id = %(workspace)s and person_id = %(person)s
        on conflict (code_host_id, login, workspace_id) do update set person_id = excluded.person_id
        """,
        host=repository.code_host_id,
        login=name,
        person=person_id,
    )
    if not is_stored:
        raise InvalidValue("member", "choose a member of this workspace")
    return repository


@writes
async def forget_host_member(ctx: Ctx, repository_id: str, login: str) -> Repository:
    """Remove a name at the repository's code host from its member."""
    repository = await get_repository(ctx, repository_id)
    await ctx.execute(
        """
        delete from code_host_logins
        where workspace_id = %(workspace)s and code_host_id = %(host)s and login = %(login)s
        """,
        host=repository.code_host_id,
        login=login,
    )
    return repository
