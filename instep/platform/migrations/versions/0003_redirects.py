"""Redirects from addresses of an earlier help center."""

from alembic import op

revision = "0003"
down_revision = "0002"

SCHEMA = """
    create table redirects (
      id text primary key,
      workspace_id text not null,
      bot_id uuid not null,
      -- Decoded, without query, fragment, host and slash at the end; `*` stands for one segment or its rest.
      path text not null,
      -- The exact path, or a literal segment of the pattern at its place: what lookups know of it.
      anchor text not null,
      article_id text,
      url text,
      created_at timestamptz not null,
      foreign key (workspace_id, bot_id) references bots (workspace_id, id),
      foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade,
      constraint redirects_target check (num_nonnulls(article_id, url) = 1),
      constraint redirects_path unique (bot_id, path)
    );
    create index redirects_anchor on redirects (bot_id, anchor);
    create index redirects_newest on redirects (bot_id, created_at desc, id desc);
    -- A purge of articles cascades along this key.
    create index redirects_article on redirects (article_id) where article_id is not null;
    alter table redirects enable row level security;
    create policy tenant on redirects to instep_app
      using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
    grant select, insert, delete on redirects to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
