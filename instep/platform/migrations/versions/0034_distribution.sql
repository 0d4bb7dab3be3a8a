-- Keys and references carry the workspace: a distributed database keeps a key unique only within a shard, and
-- checks references only inside of one.
--
-- The workspace stands behind what rows are looked up by, and before what lookups leave out: an id alone
-- still finds its row in the same index. No key says less than before. A bot belongs to one workspace, and its
-- id stays unique in the installation (bots_pkey), so a key that begins with a bot is as narrow as it was.
-- Other ids are random, and made by the server, not by callers. What finds a caller whose workspace is not
-- known yet is left as it is.

-- References go first, because keys can't be replaced below them.
alter table api_keys drop constraint api_keys_workspace_id_trust_id_fkey;
alter table article_feedback drop constraint article_feedback_bot_id_article_id_fkey;
alter table article_views drop constraint article_views_bot_id_article_id_fkey;
alter table articles
  drop constraint articles_bot_id_collection_id_fkey,
  drop constraint articles_bot_id_translation_of_fkey;
alter table askings drop constraint askings_bot_id_question_id_fkey;
alter table collections drop constraint collections_parent;
alter table deliveries
  drop constraint deliveries_workspace_id_endpoint_id_fkey,
  drop constraint deliveries_workspace_id_event_id_fkey;
alter table draft_viewers drop constraint draft_viewers_draft_id_fkey;
alter table drafts
  drop constraint drafts_bot_id_article_id_fkey,
  drop constraint drafts_bot_id_task_id_fkey;
alter table files drop constraint files_workspace_id_object_key_fkey;
alter table former_slugs drop constraint former_slugs_bot_id_article_id_fkey;
alter table golden_questions drop constraint golden_questions_bot_id_article_id_fkey;
alter table gone_names drop constraint gone_names_bot_id_article_id_fkey;
alter table idempotency_keys drop constraint idempotency_keys_task_id_fkey;
alter table import_refs
  drop constraint import_refs_bot_id_article_id_fkey,
  drop constraint import_refs_bot_id_collection_id_fkey,
  drop constraint import_refs_entry_id_fkey;
alter table imports drop constraint imports_workspace_id_object_key_fkey;
alter table leads drop constraint leads_bot_id_conversation_id_fkey;
alter table messages drop constraint messages_bot_id_conversation_id_fkey;
alter table oauth_tokens drop constraint oauth_tokens_workspace_id_grant_id_fkey;
alter table object_chunks drop constraint object_chunks_workspace_id_key_fkey;
alter table previews drop constraint previews_draft_id_fkey;
alter table question_terms drop constraint question_terms_bot_id_question_id_fkey;
alter table redirects drop constraint redirects_bot_id_article_id_fkey;
alter table revisions drop constraint revisions_bot_id_article_id_fkey;
alter table suppressed_statements
  drop constraint suppressed_statements_bot_id_article_id_fkey,
  drop constraint suppressed_statements_draft_id_fkey;
alter table synced_files drop constraint synced_files_bot_id_folder_fkey;
alter table unanswered_questions
  drop constraint unanswered_questions_draft_id_fkey,
  drop constraint unanswered_questions_merged;
alter table webhook_secrets drop constraint webhook_secrets_workspace_id_endpoint_id_fkey;
-- The table of vectors exists only where the extension `vector` is installed.
do $$ begin
  if to_regclass('public.passage_vectors') is not null then
    alter table passage_vectors drop constraint passage_vectors_bot_id_article_id_fkey;
  end if;
end $$;

-- Keys. Where the workspace and the id were a second key, for references alone, that one goes.
alter table alert_targets
  drop constraint alert_targets_pkey,
  add constraint alert_targets_pkey primary key (id, workspace_id);
alter table api_keys
  drop constraint api_keys_pkey,
  add constraint api_keys_pkey primary key (id, workspace_id);
alter table article_feedback
  drop constraint article_feedback_pkey,
  add constraint article_feedback_pkey primary key (id, workspace_id);
alter table articles
  drop constraint articles_pkey,
  add constraint articles_pkey primary key (id, workspace_id),
  drop constraint articles_bot_id_id_key,
  add constraint articles_bot_id_id_key unique (bot_id, id, workspace_id);
drop index articles_slug;
create unique index articles_slug on articles (bot_id, slug, workspace_id, locale) where deleted_at is null;
drop index articles_translation;
create unique index articles_translation on articles (translation_of, workspace_id, locale)
  where translation_of is not null and deleted_at is null;
alter table askings
  drop constraint askings_pkey,
  add constraint askings_pkey primary key (id, workspace_id);
alter table bot_vectors
  drop constraint bot_vectors_pkey,
  add constraint bot_vectors_pkey primary key (bot_id, workspace_id);
alter table changelog_entries
  drop constraint changelog_entries_pkey,
  add constraint changelog_entries_pkey primary key (id, workspace_id),
  drop constraint changelog_entries_slug,
  add constraint changelog_entries_slug unique (bot_id, slug, workspace_id);
alter table collections
  drop constraint collections_pkey,
  add constraint collections_pkey primary key (id, workspace_id),
  drop constraint collections_bot_id_id_key,
  add constraint collections_bot_id_id_key unique (bot_id, id, workspace_id),
  drop constraint collections_slug,
  add constraint collections_slug unique (bot_id, slug, workspace_id);
alter table conversations
  drop constraint conversations_pkey,
  add constraint conversations_pkey primary key (id, workspace_id),
  drop constraint conversations_bot_id_id_key,
  add constraint conversations_bot_id_id_key unique (bot_id, id, workspace_id);
alter table deliveries
  drop constraint deliveries_pkey,
  add constraint deliveries_pkey primary key (id, workspace_id),
  drop constraint deliveries_event_id_endpoint_id_key,
  add constraint deliveries_event_id_endpoint_id_key unique (event_id, workspace_id, endpoint_id);
alter table draft_viewers
  drop constraint draft_viewers_pkey,
  add constraint draft_viewers_pkey primary key (draft_id, workspace_id, person_id);
alter table drafts
  drop constraint drafts_pkey,
  add constraint drafts_pkey primary key (id, workspace_id);
drop index drafts_new_article;
create unique index drafts_new_article on drafts (bot_id, article_id, workspace_id) where type <> 'edit';
drop index drafts_once;
create unique index drafts_once on drafts (task_id, workspace_id, article_id);
alter table erasures
  drop constraint erasures_pkey,
  add constraint erasures_pkey primary key (id, workspace_id);
alter table file_references
  drop constraint file_references_pkey,
  add constraint file_references_pkey primary key (source, source_id, workspace_id, sha256);
alter table files
  drop constraint files_pkey,
  add constraint files_pkey primary key (id, workspace_id),
  drop constraint files_bot_id_sent_sha256_key,
  add constraint files_bot_id_sent_sha256_key unique (bot_id, sent_sha256, workspace_id),
  drop constraint files_object_key_key,
  add constraint files_object_key_key unique (object_key, workspace_id);
alter table former_slugs
  drop constraint former_slugs_pkey,
  add constraint former_slugs_pkey primary key (bot_id, slug, workspace_id, locale);
alter table golden_questions
  drop constraint golden_questions_pkey,
  add constraint golden_questions_pkey primary key (id, workspace_id);
drop index golden_questions_once;
create unique index golden_questions_once
  on golden_questions (bot_id, article_id, workspace_id, lower(question));
alter table gone_names
  drop constraint gone_names_pkey,
  add constraint gone_names_pkey primary key (bot_id, article_id, workspace_id, name);
alter table import_refs
  drop constraint import_refs_pkey,
  add constraint import_refs_pkey primary key (bot_id, source, workspace_id, kind, key);
alter table imports
  drop constraint imports_pkey,
  add constraint imports_pkey primary key (id, workspace_id),
  drop constraint imports_object_key_key,
  add constraint imports_object_key_key unique (object_key, workspace_id);
alter table invitations
  drop constraint invitations_pkey,
  add constraint invitations_pkey primary key (id, workspace_id);
alter table leads
  drop constraint leads_pkey,
  add constraint leads_pkey primary key (id, workspace_id);
alter table messages
  drop constraint messages_pkey,
  add constraint messages_pkey primary key (id, workspace_id);
alter table model_use
  drop constraint model_use_pkey,
  add constraint model_use_pkey primary key (bot_id, day, workspace_id);
alter table oauth_grants
  drop constraint oauth_grants_pkey,
  add constraint oauth_grants_pkey primary key (id, workspace_id),
  drop constraint oauth_grants_workspace_id_id_key;
alter table object_chunks
  drop constraint object_chunks_pkey,
  add constraint object_chunks_pkey primary key (key, workspace_id, number);
alter table previews
  drop constraint previews_pkey,
  add constraint previews_pkey primary key (id, workspace_id);
alter table question_terms
  drop constraint question_terms_pkey,
  add constraint question_terms_pkey primary key (bot_id, locale, term, workspace_id, question_id);
alter table redirects
  drop constraint redirects_pkey,
  add constraint redirects_pkey primary key (id, workspace_id),
  drop constraint redirects_path,
  add constraint redirects_path unique (bot_id, path, workspace_id);
alter table review_digests
  drop constraint review_digests_pkey,
  add constraint review_digests_pkey primary key (bot_id, workspace_id);
alter table revisions
  drop constraint revisions_pkey,
  add constraint revisions_pkey primary key (id, workspace_id),
  drop constraint revisions_article_id_version_key,
  add constraint revisions_article_id_version_key unique (article_id, workspace_id, version);
alter table search_indexes
  drop constraint search_indexes_pkey,
  add constraint search_indexes_pkey primary key (bot_id, workspace_id);
alter table sessions
  drop constraint sessions_id_key,
  add constraint sessions_id_key unique (id, workspace_id);
alter table stored_objects
  drop constraint stored_objects_pkey,
  add constraint stored_objects_pkey primary key (key, workspace_id),
  drop constraint stored_objects_workspace_id_key_key;
alter table suppressed_statements
  drop constraint suppressed_statements_pkey,
  add constraint suppressed_statements_pkey primary key (id, workspace_id);
drop index suppressed_statements_once;
create unique index suppressed_statements_once
  on suppressed_statements (bot_id, coalesce(article_id, ''), key, workspace_id);
alter table synced_files
  drop constraint synced_files_pkey,
  add constraint synced_files_pkey primary key (bot_id, folder, workspace_id, path);
alter table synced_folders
  drop constraint synced_folders_pkey,
  add constraint synced_folders_pkey primary key (bot_id, folder, workspace_id);
alter table tasks
  drop constraint tasks_pkey,
  add constraint tasks_pkey primary key (id, workspace_id),
  drop constraint tasks_bot_id_id_key,
  add constraint tasks_bot_id_id_key unique (bot_id, id, workspace_id);
alter table unanswered_questions
  drop constraint unanswered_questions_pkey,
  add constraint unanswered_questions_pkey primary key (id, workspace_id),
  drop constraint unanswered_questions_bot_id_id_key,
  add constraint unanswered_questions_bot_id_id_key unique (bot_id, id, workspace_id);
alter table visitor_secrets
  drop constraint visitor_secrets_pkey,
  add constraint visitor_secrets_pkey primary key (bot_id, workspace_id);
alter table webhook_endpoints
  drop constraint webhook_endpoints_pkey,
  add constraint webhook_endpoints_pkey primary key (id, workspace_id),
  drop constraint webhook_endpoints_workspace_id_id_key;
alter table webhook_secrets
  drop constraint webhook_secrets_pkey,
  add constraint webhook_secrets_pkey primary key (id, workspace_id);
drop index webhook_secrets_present;
create unique index webhook_secrets_present on webhook_secrets (endpoint_id, workspace_id)
  where ends_at is null;
do $$ begin
  if to_regclass('public.passage_vectors') is not null then
    alter table passage_vectors
      drop constraint passage_vectors_pkey,
      add constraint passage_vectors_pkey primary key (bot_id, article_id, workspace_id, number);
  end if;
end $$;

-- Two tables need one key in which the workspace comes first: what belongs to a workspace is read by it.
alter table events
  drop constraint events_pkey,
  add constraint events_pkey primary key (workspace_id, id),
  drop constraint events_workspace_id_id_key;
alter table trusts
  drop constraint trusts_pkey,
  add constraint trusts_pkey primary key (workspace_id, id),
  drop constraint trusts_workspace_id_id_key;

-- References, within a workspace.
alter table api_keys
  add constraint api_keys_workspace_id_trust_id_fkey
    foreign key (workspace_id, trust_id) references trusts (workspace_id, id);
alter table article_feedback
  add constraint article_feedback_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table article_views
  add constraint article_views_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table articles
  add constraint articles_bot_id_collection_id_fkey
    foreign key (bot_id, collection_id, workspace_id) references collections (bot_id, id, workspace_id)
      on delete set null (collection_id),
  add constraint articles_bot_id_translation_of_fkey
    foreign key (bot_id, translation_of, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table askings
  add constraint askings_bot_id_question_id_fkey
    foreign key (bot_id, question_id, workspace_id) references unanswered_questions (bot_id, id, workspace_id)
      on delete cascade;
alter table collections
  add constraint collections_parent
    foreign key (bot_id, parent_id, workspace_id) references collections (bot_id, id, workspace_id);
alter table deliveries
  add constraint deliveries_workspace_id_endpoint_id_fkey
    foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade,
  add constraint deliveries_workspace_id_event_id_fkey
    foreign key (workspace_id, event_id) references events (workspace_id, id) on delete cascade;
alter table draft_viewers
  add constraint draft_viewers_draft_id_fkey
    foreign key (draft_id, workspace_id) references drafts (id, workspace_id) on delete cascade;
alter table drafts
  add constraint drafts_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  add constraint drafts_bot_id_task_id_fkey
    foreign key (bot_id, task_id, workspace_id) references tasks (bot_id, id, workspace_id);
alter table files
  add constraint files_workspace_id_object_key_fkey
    foreign key (workspace_id, object_key) references stored_objects (workspace_id, key);
alter table former_slugs
  add constraint former_slugs_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table golden_questions
  add constraint golden_questions_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete set null (article_id);
alter table gone_names
  add constraint gone_names_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table idempotency_keys
  add constraint idempotency_keys_task_id_fkey
    foreign key (task_id, workspace_id) references tasks (id, workspace_id) deferrable initially deferred;
alter table import_refs
  add constraint import_refs_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  add constraint import_refs_bot_id_collection_id_fkey
    foreign key (bot_id, collection_id, workspace_id) references collections (bot_id, id, workspace_id)
      on delete cascade,
  add constraint import_refs_entry_id_fkey
    foreign key (entry_id, workspace_id) references changelog_entries (id, workspace_id) on delete cascade;
alter table imports
  add constraint imports_workspace_id_object_key_fkey
    foreign key (workspace_id, object_key) references stored_objects (workspace_id, key);
alter table leads
  add constraint leads_bot_id_conversation_id_fkey
    foreign key (bot_id, conversation_id, workspace_id) references conversations (bot_id, id, workspace_id);
alter table messages
  add constraint messages_bot_id_conversation_id_fkey
    foreign key (bot_id, conversation_id, workspace_id) references conversations (bot_id, id, workspace_id)
      on delete cascade;
alter table oauth_tokens
  add constraint oauth_tokens_workspace_id_grant_id_fkey
    foreign key (workspace_id, grant_id) references oauth_grants (workspace_id, id) on delete cascade;
alter table object_chunks
  add constraint object_chunks_workspace_id_key_fkey
    foreign key (workspace_id, key) references stored_objects (workspace_id, key) on delete cascade;
alter table previews
  add constraint previews_draft_id_fkey
    foreign key (draft_id, workspace_id) references drafts (id, workspace_id) on delete cascade;
alter table question_terms
  add constraint question_terms_bot_id_question_id_fkey
    foreign key (bot_id, question_id, workspace_id) references unanswered_questions (bot_id, id, workspace_id)
      on delete cascade;
alter table redirects
  add constraint redirects_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table revisions
  add constraint revisions_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
alter table suppressed_statements
  add constraint suppressed_statements_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  add constraint suppressed_statements_draft_id_fkey
    foreign key (draft_id, workspace_id) references drafts (id, workspace_id) on delete set null (draft_id);
alter table synced_files
  add constraint synced_files_bot_id_folder_fkey
    foreign key (bot_id, folder, workspace_id) references synced_folders (bot_id, folder, workspace_id)
      on delete cascade;
alter table unanswered_questions
  add constraint unanswered_questions_draft_id_fkey
    foreign key (draft_id, workspace_id) references drafts (id, workspace_id) on delete set null (draft_id),
  add constraint unanswered_questions_merged
    foreign key (bot_id, merged_into, workspace_id) references unanswered_questions (bot_id, id, workspace_id)
      on delete cascade;
alter table webhook_secrets
  add constraint webhook_secrets_workspace_id_endpoint_id_fkey
    foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade;
do $$ begin
  if to_regclass('public.passage_vectors') is not null then
    alter table passage_vectors add constraint passage_vectors_bot_id_article_id_fkey
      foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade;
  end if;
end $$;

-- Within a bot's index the workspace finds nothing that the bot does not, but PostgreSQL takes both for
-- independent: it would expect hardly a row, and join all rows of a bot with all others. The collation, which
-- changes nothing of equality, keeps the policy's condition out of the search in an index.
do $$ declare name text; begin
  foreach name in array array[
    'articles', 'bot_vectors', 'changelog_entries', 'collections', 'conversations', 'drafts', 'files',
    'former_slugs', 'golden_questions', 'gone_names', 'import_refs', 'model_use', 'question_terms',
    'redirects', 'review_digests', 'search_indexes', 'suppressed_statements', 'synced_files',
    'synced_folders', 'tasks', 'unanswered_questions', 'visitor_secrets'] loop
    execute format('alter policy tenant on %I using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
  if to_regclass('public.passage_vectors') is not null then
    alter policy tenant on passage_vectors
      using (workspace_id collate "C" = (select nullif(current_setting('instep.workspace_id', true), '')));
  end if;
end $$;

-- Where the extension `vector` is installed later, the table is made with the same keys.
create or replace function set_up_vectors() returns boolean language plpgsql as $$
begin
  if to_regclass('public.passage_vectors') is not null then
    return true;
  end if;
  create extension if not exists vector;
  -- There is no vector index: an approximate one misses most rows of one bot, and scanning a bot is fast.
  create table passage_vectors (
    bot_id uuid not null,
    workspace_id text not null,
    article_id text not null,
    -- The position of the chunk in its article, and the range of its passages.
    number integer not null,
    first_passage integer not null,
    last_passage integer not null,
    -- A hash of the chunk's content: an unchanged chunk keeps its vector.
    hash bytea not null,
    vector halfvec not null,
    primary key (bot_id, article_id, workspace_id, number),
    constraint passage_vectors_bot_id_article_id_fkey
      foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade
  );
  -- Stored in the row itself: fetching it from a TOAST table takes longer than comparing it.
  alter table passage_vectors alter vector set storage main;
  alter table passage_vectors enable row level security;
  create policy tenant on passage_vectors to instep_app
    using (workspace_id collate "C" = (select nullif(current_setting('instep.workspace_id', true), '')));
  grant select, insert, update, delete on passage_vectors to instep_app;
  return true;
exception when feature_not_supported or undefined_file or undefined_object or insufficient_privilege then
  return false;
end $$;

-- Events are found by their workspace and id.
create or replace function read_deliveries(wanted text[]) returns table (
  id text, workspace_id text, endpoint_id text, url text, kind text, body bytea, request_id text,
  secret_ids text[], sealed_secrets bytea[]
) language sql stable security definer set search_path = public, pg_temp as $$
  select d.id, d.workspace_id, d.endpoint_id, e.url, v.type, v.body, v.request_id, s.ids, s.sealed
  from deliveries d
  join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
  join events v on v.workspace_id = d.workspace_id and v.id = d.event_id
  cross join lateral (
    select array_agg(w.id order by w.ends_at desc nulls first) as ids,
      array_agg(w.sealed order by w.ends_at desc nulls first) as sealed
    from webhook_secrets w
    where w.workspace_id = d.workspace_id and w.endpoint_id = d.endpoint_id
      and (w.ends_at is null or w.ends_at > now())) s
  where d.id = any (wanted)
$$;

create or replace function prune_events(age interval, most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  old text[];
  workspaces_of_old text[];
begin
  select coalesce(array_agg(o.id), '{}'), coalesce(array_agg(o.workspace_id), '{}')
  into old, workspaces_of_old from (
    select e.id, e.workspace_id from events e where e.created_at < now() - age
    order by e.created_at limit most for update skip locked) o;
  perform w.id from webhook_endpoints w
  where w.id in (select d.endpoint_id from deliveries d where d.event_id = any (old))
  order by w.id for key share;
  perform d.id from deliveries d where d.event_id = any (old) order by d.id for update;
  delete from events e using unnest(workspaces_of_old, old) as o (workspace_id, id)
  where e.workspace_id = o.workspace_id and e.id = o.id;
  return cardinality(old);
end $$;
