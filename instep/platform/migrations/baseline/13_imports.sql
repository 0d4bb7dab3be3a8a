-- Imports of articles from elsewhere, and what each article, collection and entry was made from.

create table imports (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- The file, folder or address, as the person who began the import named it.
  name text not null,
  format text,
  -- The lasting name of the source: what one import of it brought, the next one finds.
  source text,
  state text not null check (state in ('reading', 'ready', 'importing', 'completed', 'failed')),
  -- The archive that was sent; null once nothing needs it, and for imports by command.
  object_key text,
  bytes bigint,
  -- The plan of the import, and once it has ended, its result.
  report jsonb,
  done integer not null default 0,
  total integer not null default 0,
  error text,
  author_type text not null,
  author_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  -- The address at which the source was served, as the importing person named it; the newest one of a source
  -- holds for its next imports.
  site text,
  -- Whether the import archives what the source no longer has.
  prunes boolean not null default false,
  primary key (id, workspace_id),
  constraint imports_object_key_key unique (object_key, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (workspace_id, object_key) references stored_objects (workspace_id, key)
);
create index imports_newest on imports (bot_id, created_at desc, id desc);
create trigger imports_free_object after delete on imports
for each row when (old.object_key is not null) execute function free_object();
create trigger imports_free_object_at_end after update of object_key on imports
for each row when (old.object_key is not null and new.object_key is null)
execute function free_object();

create table import_refs (
  workspace_id text not null,
  bot_id uuid not null,
  source text not null,
  kind text not null check (kind in ('page', 'collection', 'entry')),
  -- The id that the source gives it, or its path there.
  key text not null,
  article_id text,
  collection_id text,
  entry_id text,
  -- The digest of the text with the files that it refers to, and the other fields of the source.
  digest text not null,
  facts jsonb not null,
  -- The text as it was imported: what later changes on both sides are compared with.
  title text not null,
  content_markdown text not null,
  version integer,
  updated_at timestamptz not null,
  primary key (bot_id, source, workspace_id, kind, key),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint import_refs_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  constraint import_refs_bot_id_collection_id_fkey
    foreign key (bot_id, collection_id, workspace_id)
      references collections (bot_id, id, workspace_id) on delete cascade,
  constraint import_refs_entry_id_fkey
    foreign key (entry_id, workspace_id) references changelog_entries on delete cascade,
  constraint import_refs_target check (num_nonnulls(article_id, collection_id, entry_id) = 1)
);
create index import_refs_article on import_refs (bot_id, article_id) where article_id is not null;
create index import_refs_collection on import_refs (bot_id, collection_id) where collection_id is not null;
create index import_refs_entry on import_refs (entry_id) where entry_id is not null;

-- Removes old imports of all workspaces with the archives that they left behind.
create function prune_imports(p_age interval, p_most integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with old as (
    select id from imports i where updated_at < now() - p_age
      and (site is null or exists (
        select from imports later
        where later.workspace_id = i.workspace_id and later.bot_id = i.bot_id
          and later.source = i.source and later.site is not null and later.created_at > i.created_at))
    order by updated_at limit p_most
  ), removed as (
    delete from imports i using old where i.id = old.id returning 1
  ) select count(*)::integer from removed
$$;
