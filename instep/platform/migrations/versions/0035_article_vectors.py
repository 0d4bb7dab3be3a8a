"""Vectors of articles are bytes, which processes compare themselves: no extension is needed any more.

Articles that had vectors get new ones from the worker; until then their bots are searched by words.
"""

from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.execute(
        """
        drop table if exists passage_vectors;
        drop function set_up_vectors();
        delete from bot_vectors;

        create table article_vectors (
          bot_id uuid not null,
          workspace_id text not null,
          article_id text not null,
          -- The change stamp of the article when it was embedded.
          seen timestamptz not null,
          -- Its chunks one after the other: hash, range of passages, and the vector in integers of 8 bits.
          chunks bytea not null,
          primary key (bot_id, article_id, workspace_id),
          foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
            on delete cascade
        );
        create index article_vectors_seen on article_vectors (bot_id, seen, article_id, workspace_id);
        -- The numbers hardly compress, and they are only read and written as a whole.
        alter table article_vectors alter chunks set storage external;
        alter table article_vectors enable row level security;
        create policy tenant on article_vectors to instep_app
          using (workspace_id collate "C"
            = (select nullif(current_setting('instep.workspace_id', true), '')));
        grant select, insert, update, delete on article_vectors to instep_app;
        """
    )
