"""What folders of git repositories and help centers had in step at their last sync."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.execute(
        """
        create table synced_folders (
          workspace_id text not null,
          bot_id uuid not null,
          folder text not null,
          commit text not null,
          synced_at timestamptz not null,
          primary key (bot_id, folder),
          foreign key (workspace_id, bot_id) references bots (workspace_id, id)
        );

        -- A row for each file that stands for an article or a collection. The texts are the base of three-way
        -- merges, so they are kept whole; the `next_` columns become the base when git has what was written,
        -- or when the draft is settled. Nothing refers to articles: a row outlives the purge of its article.
        create table synced_files (
          workspace_id text not null,
          bot_id uuid not null,
          folder text not null,
          path text not null,
          kind text not null check (kind in ('article', 'collection')),
          resource_id text not null,
          article_version integer,
          file_text text,
          article_text text,
          article_values jsonb,
          next_file_text text,
          next_article_text text,
          next_article_values jsonb,
          draft_id text,
          primary key (bot_id, folder, path),
          foreign key (workspace_id, bot_id) references bots (workspace_id, id),
          foreign key (bot_id, folder) references synced_folders (bot_id, folder) on delete cascade
        );

        do $$ declare name text; begin
          foreach name in array array['synced_folders', 'synced_files'] loop
            execute format('alter table %I enable row level security', name);
            execute format('create policy tenant on %I to instep_app using
              (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
          end loop;
        end $$;
        grant select, insert, update, delete on synced_folders, synced_files to instep_app;
        """
    )
