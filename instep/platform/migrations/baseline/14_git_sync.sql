-- The state of folders of git repositories and of their help centers at their last sync.

create table synced_folders (
  workspace_id text not null,
  bot_id uuid not null,
  folder text not null,
  commit text not null,
  synced_at timestamptz not null,
  -- By the ids of collections, `/` for the articles in none: the order that both sides had, and the one
  -- that was written and that git has not had yet.
  orders jsonb not null default '{}',
  primary key (bot_id, folder, workspace_id),
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
  -- The path that the file gets with the text that was written to it; null: it stays.
  next_path text,
  primary key (bot_id, folder, workspace_id, path),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint synced_files_bot_id_folder_fkey
    foreign key (bot_id, folder, workspace_id) references synced_folders on delete cascade
);
