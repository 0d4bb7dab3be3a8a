"""The widget's settings show which origins asked and were refused."""

from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.execute(
        """
        create table refused_origins (
          workspace_id text not null,
          bot_id uuid not null,
          origin text not null,
          refused_at timestamptz not null,
          primary key (workspace_id, bot_id, origin),
          foreign key (workspace_id, bot_id) references bots (workspace_id, id)
        );
        alter table refused_origins enable row level security;
        create policy tenant on refused_origins to instep_app
          using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
        grant select, insert, update, delete on refused_origins to instep_app;
        """
    )
