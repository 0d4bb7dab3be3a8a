-- Files: images and downloads of articles, the objects that hold their bytes, and the texts that refer to
-- them.

-- The journal of stored objects. A row is committed before its object is put into a bucket, so a crash leaves
-- no object that nobody knows. Nothing refers to workspaces: what a removed workspace leaves is removed
-- later.
create table stored_objects (
  key text not null,
  workspace_id text not null,
  location text not null check (location in ('database', 'bucket')),
  -- From when on the object may be removed; null: a file needs it.
  removable_at timestamptz,
  primary key (key, workspace_id)
);
create index on stored_objects (removable_at) where removable_at is not null;

-- The bytes of objects in the database, in pieces of one size; the last one may be shorter.
create table object_chunks (
  workspace_id text not null,
  key text not null,
  number integer not null,
  data bytea not null,
  primary key (key, workspace_id, number),
  foreign key (workspace_id, key) references stored_objects (workspace_id, key) on delete cascade
);
-- Pictures and archives are compressed already.
alter table object_chunks alter column data set storage external;

create table files (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  name text not null,
  content_type text not null,
  bytes integer not null,
  width integer,
  height integer,
  -- The digest of what is served, in hexadecimal; two files may share it when they differ in metadata alone.
  sha256 text not null,
  sent_sha256 text not null,
  object_key text not null,
  -- Since when no text refers to the file; null: one does.
  unreferenced_since timestamptz,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  constraint files_bot_id_sent_sha256_key unique (bot_id, sent_sha256, workspace_id),
  constraint files_object_key_key unique (object_key, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (workspace_id, object_key) references stored_objects (workspace_id, key)
);
create index on files (bot_id, created_at desc, id desc);
create index on files (bot_id, sha256);
create index on files (unreferenced_since) where unreferenced_since is not null;

-- However a file's row is removed, its object follows: in the database at once, in a bucket by the sweep.
create function free_object() returns trigger language plpgsql as $$
begin
  delete from stored_objects where key = old.object_key and location = 'database';
  update stored_objects set removable_at = clock_timestamp() where key = old.object_key;
  return null;
end $$;
create trigger files_free_object after delete on files for each row execute function free_object();

-- Which texts refer to which digests, kept by triggers, so that no writer of a text can forget it. A text may
-- refer to a file that does not exist yet.
create table file_references (
  workspace_id text not null,
  bot_id uuid not null,
  sha256 text not null,
  source text not null
    check (source in ('article', 'working_copy', 'revision', 'draft', 'changelog_entry', 'site_frame')),
  source_id text not null,
  primary key (source, source_id, workspace_id, sha256),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on file_references (bot_id, sha256);

-- Replaces the references of one text. The lock on the files makes a removal of one wait until this text is
-- committed, and then see the reference.
create function refer_to_files(p_workspace text, p_bot uuid, p_source text, p_id text, p_text text)
returns void language plpgsql as $$
declare digests text[];
begin
  delete from file_references where source = p_source and source_id = p_id;
  if p_text like '%/files/%' then
    select array_agg(distinct match[1]) into digests
    from regexp_matches(p_text, '/files/[^/\s]+/([0-9a-f]{64})\.', 'g') as match;
    insert into file_references (workspace_id, bot_id, sha256, source, source_id)
    select p_workspace, p_bot, digest, p_source, p_id from unnest(digests) as digest;
    perform from files where bot_id = p_bot and sha256 = any(digests) order by id for key share;
  end if;
end $$;

create function refer_from_article() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source in ('article', 'working_copy') and source_id = old.id;
    return null;
  end if;
  perform refer_to_files(new.workspace_id, new.bot_id, 'article', new.id, new.content_markdown);
  perform refer_to_files(new.workspace_id, new.bot_id, 'working_copy', new.id, new.working_markdown);
  return null;
end $$;
create trigger articles_refer_when_made after insert on articles
for each row when (new.content_markdown like '%/files/%' or new.working_markdown like '%/files/%')
execute function refer_from_article();
create trigger articles_refer_when_changed after update of content_markdown, working_markdown on articles
for each row when ((old.content_markdown, old.working_markdown)
  is distinct from (new.content_markdown, new.working_markdown))
execute function refer_from_article();
create trigger articles_refer_when_purged after delete on articles
for each row when (old.content_markdown like '%/files/%' or old.working_markdown like '%/files/%')
execute function refer_from_article();

create function refer_from_revision() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source = 'revision' and source_id = old.id;
  else
    perform refer_to_files(new.workspace_id, new.bot_id, 'revision', new.id, new.content_markdown);
  end if;
  return null;
end $$;
create trigger revisions_refer_when_made after insert on revisions
for each row when (new.content_markdown like '%/files/%') execute function refer_from_revision();
create trigger revisions_refer_when_removed after delete on revisions
for each row when (old.content_markdown like '%/files/%') execute function refer_from_revision();

-- A draft shows its proposal, and the text that it was made against.
create function refer_from_draft() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source = 'draft' and source_id = old.id;
  else
    perform refer_to_files(new.workspace_id, new.bot_id, 'draft', new.id,
      concat_ws(e'\n', new.content_markdown, new.base_markdown));
  end if;
  return null;
end $$;
create trigger drafts_refer_when_made after insert on drafts
for each row when (new.content_markdown like '%/files/%' or new.base_markdown like '%/files/%')
execute function refer_from_draft();
create trigger drafts_refer_when_changed after update of content_markdown, base_markdown on drafts
for each row when ((old.content_markdown, old.base_markdown)
  is distinct from (new.content_markdown, new.base_markdown))
execute function refer_from_draft();
create trigger drafts_refer_when_removed after delete on drafts
for each row when (old.content_markdown like '%/files/%' or old.base_markdown like '%/files/%')
execute function refer_from_draft();

create function refer_from_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from file_references where source = 'changelog_entry' and source_id = old.id;
  else
    perform refer_to_files(new.workspace_id, new.bot_id, 'changelog_entry', new.id, new.content_markdown);
  end if;
  return null;
end $$;
create trigger entries_refer_when_made after insert on changelog_entries
for each row when (new.content_markdown like '%/files/%') execute function refer_from_entry();
create trigger entries_refer_when_changed after update of content_markdown on changelog_entries
for each row when (old.content_markdown is distinct from new.content_markdown)
execute function refer_from_entry();
create trigger entries_refer_when_removed after delete on changelog_entries
for each row when (old.content_markdown like '%/files/%') execute function refer_from_entry();

create function refer_from_frame() returns trigger language plpgsql as $$
begin
  perform refer_to_files(new.workspace_id, new.id, 'site_frame', new.id::text, new.frame::text);
  return null;
end $$;
create trigger bots_refer_when_changed after update of frame on bots
for each row when (old.frame is distinct from new.frame) execute function refer_from_frame();

-- Notes which files are without a reference since `p_now`, removes at most `p_most` of those that have been
-- for longer than `p_age`, and returns their number. It skips rows that a text is just referring to.
create function remove_unreferenced_files(p_now timestamptz, p_age interval, p_most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_ids text[];
  v_removed integer;
begin
  update files f set unreferenced_since = null
  where f.unreferenced_since is not null
    and exists (select from file_references r where r.bot_id = f.bot_id and r.sha256 = f.sha256);
  update files f set unreferenced_since = p_now
  where f.unreferenced_since is null
    and not exists (select from file_references r where r.bot_id = f.bot_id and r.sha256 = f.sha256);
  select array_agg(due.id) into v_ids from (
    select id from files where unreferenced_since <= p_now - p_age order by id limit p_most
    for update skip locked) due;
  -- A statement of its own sees the references that were committed before the rows were locked.
  delete from files f
  where f.id = any(v_ids)
    and not exists (select from file_references r where r.bot_id = f.bot_id and r.sha256 = f.sha256);
  get diagnostics v_removed = row_count;
  return v_removed;
end $$;

-- Objects in the bucket that no file needs, of all workspaces.
create function removable_objects(p_now timestamptz, p_most integer)
returns table (key text, workspace_id text) language sql stable
security definer set search_path = public, pg_temp as $$
  select o.key, o.workspace_id from stored_objects o
  where o.removable_at <= p_now order by o.removable_at, o.key limit p_most
$$;
