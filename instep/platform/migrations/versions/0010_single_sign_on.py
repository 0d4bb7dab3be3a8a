"""People who sign in through an OpenID provider, and may be made by that."""

from alembic import op

revision = "0010"
down_revision = "0009"

SCHEMA = """
    -- Makes a person without a password, a member of the only workspace; null if there are several
    -- workspaces, or if somebody has the address already.
    create function create_person_of_provider(p_person text, p_email text, p_role text) returns text
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare v_workspace text;
    begin
      if (select count(*) from workspaces) <> 1 then
        return null;
      end if;
      select id into v_workspace from workspaces;
      insert into people (id, email) values (p_person, p_email) on conflict do nothing;
      if not found then
        return null;
      end if;
      insert into memberships (workspace_id, person_id, role) values (v_workspace, p_person, p_role);
      return v_workspace;
    end $$;
    revoke execute on function create_person_of_provider from public;
    grant execute on function create_person_of_provider to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
