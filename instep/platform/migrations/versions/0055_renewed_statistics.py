"""The application may renew the statistics of tables, which only their owner may otherwise."""

from alembic import op

revision = "0055"
down_revision = "0054"

SCHEMA = """
    create function renew_statistics(p_rows integer) returns void
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare name text;
    begin
      for name in
        select relname from pg_class
        where relnamespace = 'public'::regnamespace and relowner = current_user::regrole and relkind = 'r'
          and reltuples < 10.0 * p_rows
      loop
        execute format('analyze (skip_locked) public.%I', name);
      end loop;
    end $$;
    revoke execute on function renew_statistics from public;
    grant execute on function renew_statistics to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
