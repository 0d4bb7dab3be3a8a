"""A request enters its workspace for one transaction, so that connections may be shared by sessions."""

from alembic import op

revision = "0031"
down_revision = "0030"

# Whatever the functions do besides, the workspace that they enter must end with the transaction.
LOCAL = """
    do $$ declare definition text; begin
      for definition in
        select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'public' and p.prokind = 'f'
          and p.prosrc like '%set_config(''instep.workspace_id''%, false)%'
      loop
        execute regexp_replace(
          definition, '(set_config\\(''instep\\.workspace_id''[^;]*?, )false\\)', '\\1true)', 'g');
      end loop;
    end $$
"""


def upgrade() -> None:
    op.execute(LOCAL)
