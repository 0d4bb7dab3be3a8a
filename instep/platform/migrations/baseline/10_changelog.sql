-- Entries of the changelog, and which stored HTML is out of date.

create table changelog_entries (
  id text not null,
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
  html_version smallint not null default 0,
  primary key (id, workspace_id),
  constraint changelog_entries_slug unique (bot_id, slug, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  check (status <> 'published' or published_at is not null)
);
create index on changelog_entries (bot_id, created_at desc, id desc);
create index on changelog_entries (bot_id, published_at desc, id desc) where status = 'published';
create index changelog_entries_html on changelog_entries (html_version);

-- Texts of all workspaces whose HTML an earlier version of the renderer made. It runs with the owner's
-- rights, because the worker is in no workspace when it asks.
create function html_behind(p_version integer, p_most integer)
returns table (
  "table" text, id text, workspace_id text, bot_id uuid, slug text, name text, locale text)
language sql stable security definer set search_path = public, pg_temp as $$
  select t.kind, t.id, b.workspace_id, b.id, b.slug, b.name, b.locale
  from (
    (select 'articles' as kind, a.id, a.bot_id from articles a
      where a.html_version < p_version limit p_most)
    union all
    (select 'changelog_entries', e.id, e.bot_id from changelog_entries e
      where e.html_version < p_version limit p_most)
  ) t join bots b on b.id = t.bot_id
  limit p_most
$$;
