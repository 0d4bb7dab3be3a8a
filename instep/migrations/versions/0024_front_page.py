"""The page at the root of an installation: whose help centers there are, without telling strangers of any."""

from alembic import op

revision = "0024"
down_revision = "0023"

FUNCTIONS = """
-- Begins a request of the front page: the workspace is entered if all bots are its own, otherwise none, so
-- that nobody is told of other companies' help centers.
create function enter_front_page() returns table (has_bots boolean, workspace_id text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare first_id text; last_id text;
begin
  -- Each is looked up at one end of an index.
  select min(b.workspace_id), max(b.workspace_id) into first_id, last_id from bots b;
  workspace_id := case when first_id = last_id then first_id else '' end;
  has_bots := first_id is not null;
  perform set_config('instep.workspace_id', workspace_id, false);
  return next;
end $$;

revoke execute on function enter_front_page from public;
grant execute on function enter_front_page to instep_app;
"""


def upgrade() -> None:
    op.execute(FUNCTIONS)
