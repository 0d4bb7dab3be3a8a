"""A token exchange names its trust or workspace, except in an installation of one workspace.

Anyone with a workspace can trust any repository. So a job itself has to say whose trust it means.
"""

from alembic import op

revision = "0051"
down_revision = "0050"

SCHEMA = """
    drop function find_trusts(text);
    create function find_trusts(p_issuer text, p_named text) returns setof trusts
    language sql stable security definer set search_path = public, pg_temp as $$
      select * from trusts where issuer = p_issuer and revoked_at is null
        and coalesce(p_named, (select min(id) from workspaces)) in (id, workspace_id)
      order by created_at, id
    $$;
    create function has_several_workspaces() returns boolean
    language sql stable security definer set search_path = public, pg_temp as $$
      select count(*) > 1 from (select from workspaces limit 2) w
    $$;
    do $$ declare name text; begin
      foreach name in array array['find_trusts', 'has_several_workspaces'] loop
        execute format('revoke execute on function %I from public', name);
        execute format('grant execute on function %I to instep_app', name);
      end loop;
    end $$;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
