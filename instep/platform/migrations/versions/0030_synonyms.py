"""Words that mean the same in one help center, beside those of its languages."""

from alembic import op

revision = "0030"
down_revision = "0029"

SCHEMA = """
    -- Each line is a group of synonyms, separated by commas.
    create table bot_synonyms (
      workspace_id text not null,
      bot_id uuid not null,
      lines text[] not null,
      updated_at timestamptz not null,
      primary key (workspace_id, bot_id),
      foreign key (workspace_id, bot_id) references bots (workspace_id, id)
    );
    alter table bot_synonyms enable row level security;
    create policy tenant on bot_synonyms to instep_app
      using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
    grant select, insert, update, delete on bot_synonyms to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
