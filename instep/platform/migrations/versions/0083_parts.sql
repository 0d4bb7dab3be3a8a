-- Parts and variables: texts that are kept once, and what readers see of the articles that contain them.

create table parts (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  kind text not null check (kind in ('part', 'variable')),
  name text not null,
  locale text not null,
  text text not null,
  version integer not null,
  author_name text not null,
  -- Earlier texts: {version, text, author, at} for each.
  former jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, workspace_id),
  constraint parts_slug unique (bot_id, kind, name, locale, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
alter table parts enable row level security;
create policy tenant on parts to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on parts to instep_app;

-- The text with its parts, if it has any: readers, search and answers use it. `parts` are the references that
-- it was made of, such as `part.billing-note`.
alter table articles add column expanded_markdown text, add column parts text[] not null default '{}';
alter table changelog_entries add column expanded_markdown text,
  add column parts text[] not null default '{}';
create index articles_parts on articles (bot_id) where parts <> '{}';
create index changelog_entries_parts on changelog_entries (bot_id) where parts <> '{}';

-- A file that only a part refers to belongs to the articles that contain the part, and to the part.
alter table file_references drop constraint file_references_source_check;
alter table file_references add constraint file_references_source_check check (source in (
  'article', 'working_copy', 'revision', 'draft', 'changelog_entry', 'site_frame', 'part'));

create or replace function refer_from_article() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source in ('article', 'working_copy') and source_id = old.id;
    return null;
  end if;
  perform refer_to_files(new.workspace_id, new.bot_id, 'article', new.id,
    coalesce(new.expanded_markdown, new.content_markdown));
  perform refer_to_files(new.workspace_id, new.bot_id, 'working_copy', new.id, new.working_markdown);
  return null;
end $$;
drop trigger articles_refer_when_made on articles;
create trigger articles_refer_when_made after insert on articles
for each row when (coalesce(new.expanded_markdown, new.content_markdown) like '%/files/%'
  or new.working_markdown like '%/files/%')
execute function refer_from_article();
drop trigger articles_refer_when_changed on articles;
create trigger articles_refer_when_changed
after update of content_markdown, expanded_markdown, working_markdown on articles
for each row when ((old.content_markdown, old.expanded_markdown, old.working_markdown)
  is distinct from (new.content_markdown, new.expanded_markdown, new.working_markdown))
execute function refer_from_article();
drop trigger articles_refer_when_purged on articles;
create trigger articles_refer_when_purged after delete on articles
for each row when (coalesce(old.expanded_markdown, old.content_markdown) like '%/files/%'
  or old.working_markdown like '%/files/%')
execute function refer_from_article();

create or replace function refer_from_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source = 'changelog_entry' and source_id = old.id;
  else
    perform refer_to_files(new.workspace_id, new.bot_id, 'changelog_entry', new.id,
      coalesce(new.expanded_markdown, new.content_markdown));
  end if;
  return null;
end $$;
drop trigger entries_refer_when_made on changelog_entries;
create trigger entries_refer_when_made after insert on changelog_entries
for each row when (coalesce(new.expanded_markdown, new.content_markdown) like '%/files/%')
execute function refer_from_entry();
drop trigger entries_refer_when_changed on changelog_entries;
create trigger entries_refer_when_changed
after update of content_markdown, expanded_markdown on changelog_entries
for each row when ((old.content_markdown, old.expanded_markdown)
  is distinct from (new.content_markdown, new.expanded_markdown))
execute function refer_from_entry();
drop trigger entries_refer_when_removed on changelog_entries;
create trigger entries_refer_when_removed after delete on changelog_entries
for each row when (coalesce(old.expanded_markdown, old.content_markdown) like '%/files/%')
execute function refer_from_entry();

create function refer_from_part() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source = 'part' and source_id = old.id;
  else
    perform refer_to_files(new.workspace_id, new.bot_id, 'part', new.id, new.text);
  end if;
  return null;
end $$;
create trigger parts_refer after insert or delete or update of text on parts
for each row execute function refer_from_part();
