"""Tables of tenants can be distributed by workspace, as Citus does: their keys carry `workspace_id`.

A distributed table keeps a key unique only within a shard, and checks references only inside of one.
"""

from pathlib import Path

from instep.core.database import Tx

# A caller is found by these before its workspace is known: on many databases they are kept in one place.
BEFORE_THE_WORKSPACE = {
    "api_keys_key_hash_key": "a key names its workspace",
    "bots_bot_key_key": "a widget names its bot",
    "bots_domain": "a host name names its bot",
    "bots_slug_key": "an address of a help center names its bot",
    "invitations_token_hash_key": "an invitation is opened before signing in",
    "memberships_person_id_fkey": "people belong to no workspace",
    "oauth_grants_code_hash_key": "an app shows a code",
    "oauth_tokens_pkey": "an app shows a token",
    "sessions_pkey": "a browser shows a session",
    "setup_links_pkey": "a link is opened before signing in",
    # Jobs are found by all workers, whichever workspace they are for.
    "jobs_pkey": "one queue for all workspaces",
    "jobs_waiting": "one queue for all workspaces",
}
# The rest of today's schema, where ids and bots are unique by themselves. Nothing may be added.
NOT_YET = set((Path(__file__).parent / "not_distributed.txt").read_text().split())

WITHOUT_WORKSPACE = """
    with tenant_tables as (
      select c.oid, a.attnum from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    )
    select array_agg(name) from (
      select i.indexrelid::regclass::text as name from pg_index i join tenant_tables t on t.oid = i.indrelid
      where i.indisunique and t.attnum <> all (i.indkey)
      union all
      select k.conname from pg_constraint k join tenant_tables t on t.oid = k.conrelid
      where k.contype = 'f' and t.attnum <> all (k.conkey)) as names
"""


async def without_workspace(owner: Tx) -> set[str]:
    return set(await owner.value(WITHOUT_WORKSPACE))


async def test_no_new_key_or_reference_of_a_tenant_leaves_out_its_workspace(owner: Tx) -> None:
    assert await without_workspace(owner) - NOT_YET - BEFORE_THE_WORKSPACE.keys() == set()


async def test_what_is_listed_still_leaves_it_out(owner: Tx) -> None:
    assert (NOT_YET | BEFORE_THE_WORKSPACE.keys()) - await without_workspace(owner) == set()


async def test_every_tenant_table_is_read_by_its_workspace(owner: Tx) -> None:
    """The policy names the column, so that each statement of the application goes to one shard."""
    exposed = await owner.value(
        """
        select array_agg(c.relname) from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
        """
    )
    assert exposed == ["jobs"]
