-- Entries of the changelog.

create table changelog_entries (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  slug text not null,
  title text not null,
  content_markdown text not null,
  -- Rendered when written, so that readers do not wait for it.
  content_html text not null,
  source_url text,
  status text not null check (status in ('draft', 'published', 'archived')),
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint changelog_entries_slug unique (bot_id, slug),
  check (status <> 'published' or published_at is not null)
);
create index on changelog_entries (bot_id, created_at desc, id desc);
create index on changelog_entries (bot_id, published_at desc, id desc) where status = 'published';
