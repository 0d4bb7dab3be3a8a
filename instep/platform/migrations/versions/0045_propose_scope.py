"""The scope `content:propose`, with which a caller changes only the drafts that it has proposed itself."""

from alembic import op

revision = "0045"
down_revision = "0044"

SCHEMA = """
    -- The person, the API key, or the trust of the key; null: the service has proposed it.
    alter table drafts add column proposer_id text;
    do $$ declare name text; begin
      foreach name in array array['api_keys', 'trusts', 'oauth_grants', 'oauth_tokens'] loop
        execute format('alter table %I drop constraint %I', name, name || '_scope_check');
        execute format('alter table %I add check (scope in (%L, %L, %L))', name,
          'content:read', 'content:propose', 'content:write');
      end loop;
    end $$;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
