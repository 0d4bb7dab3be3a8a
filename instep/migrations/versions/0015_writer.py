"""What each bot has used of the language model, by day."""

from alembic import op

revision = "0015"
down_revision = "0014"

TABLES = """
create table model_use (
  workspace_id text not null,
  bot_id uuid not null,
  day date not null,
  -- Of answered questions as the provider counts, of those under way and those without an end as estimated.
  tokens bigint not null check (tokens >= 0),
  primary key (bot_id, day),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
alter table model_use enable row level security;
create policy tenant on model_use to instep_app
  using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on model_use to instep_app;
"""


def upgrade() -> None:
    op.execute(TABLES)
