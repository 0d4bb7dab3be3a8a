-- The review queue: tasks with the drafts and places that they find, and what is not proposed again.

create table tasks (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  type text not null check (type in ('document_change', 'write_article')),
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  change_kind text,
  change_title text,
  change_url text,
  change_body text,
  diff text,
  -- The request for a new article: title, instructions, collection_id, source_url.
  article jsonb,
  outcome text check (outcome in ('drafts', 'places', 'no_changes')),
  summary text,
  reviewed jsonb not null default '[]',
  error_code text,
  error_message text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- Articles of a large help center that the task did not read: it is no comparison with them.
  unread_articles integer not null default 0,
  -- The model that the task has asked, with its tokens and calls; null: none was asked.
  model jsonb,
  primary key (id, workspace_id),
  constraint tasks_bot_id_id_key unique (bot_id, id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint tasks_work check (case type
    when 'document_change' then num_nulls(change_kind, change_title) = 0 and article is null
    else num_nonnulls(change_kind, change_title, change_url, change_body, diff) = 0 and article is not null
  end)
);
create index on tasks (bot_id, created_at desc, id desc);
-- Pages say with which change an article was compared, and many tasks of a large help center do not count.
create index tasks_compared on tasks (bot_id, created_at desc, id desc)
  where type = 'document_change' and status = 'completed' and unread_articles = 0;

-- Makes a repeated request of a task return the first task.
create table idempotency_keys (
  workspace_id text not null references workspaces,
  key text not null,
  request_hash bytea not null,
  task_id text not null,
  created_at timestamptz not null,
  primary key (workspace_id, key),
  constraint idempotency_keys_task_id_fkey
    foreign key (task_id, workspace_id) references tasks deferrable initially deferred
);
create index on idempotency_keys (created_at);

create function prune_idempotency_keys(p_older_than interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from idempotency_keys where created_at < now() - p_older_than
$$;

create table drafts (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  type text not null check (type in ('edit', 'new_article', 'gap_draft')),
  status text not null check (status in ('pending', 'applied', 'dismissed')),
  article_id text not null,
  task_id text,
  -- null: the article's title stays as it is
  title text,
  content_markdown text,
  reason text,
  source_url text,
  -- The text that the proposal was made against, for conflicts and the three-way merge.
  base_version integer,
  base_title text,
  base_markdown text,
  -- Line counts of the diff against that text, stored so that lists need not compare texts.
  additions integer,
  deletions integer,
  -- Visitors' questions, for a draft that was made from them.
  questions jsonb not null default '[]',
  evidence jsonb not null,
  warnings jsonb not null,
  author_type text not null,
  author_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- null: a person or a program proposed it.
  certainty text check (certainty in ('certain', 'likely')),
  -- The statements of the writer's edits, as a list of key and summary.
  statements jsonb not null default '[]',
  approved_by_type text,
  approved_by_name text,
  approved_at timestamptz,
  settled_by_type text,
  settled_by_name text,
  settled_at timestamptz,
  dismissal_reason text
    check (dismissal_reason in ('not_needed', 'wrong_article', 'wrong_text', 'duplicate', 'later')),
  dismissal_comment text,
  -- The article's versions before and after the draft was applied.
  replaced_version integer,
  applied_version integer,
  -- The name of the language model that wrote a part of it; null: none did.
  model text,
  -- The last editor of the proposal; null while it is as it was proposed.
  edited_by_name text,
  -- The lines of the proposed text, from 1, that people have written.
  edited_lines integer[] not null default '{}',
  -- Whether a digest has announced it, or found it settled: a draft may be committed after a later digest.
  is_announced boolean not null default false,
  -- The person, the API key, or the trust of the key; null: the service has proposed it.
  proposer_id text,
  -- The title and text as they were proposed; null while nobody has edited them.
  written_title text,
  written_markdown text,
  -- The draft that took its place.
  replaced_by text,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint drafts_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  constraint drafts_bot_id_task_id_fkey
    foreign key (bot_id, task_id, workspace_id) references tasks (bot_id, id, workspace_id),
  foreign key (replaced_by, workspace_id) references drafts,
  -- The title and text of a new article are stored only in the unpublished article behind the draft.
  constraint drafts_text check (case
    when type = 'edit'
    then num_nulls(content_markdown, base_version, base_title, base_markdown, additions, deletions) = 0
    else title is null
      and num_nonnulls(content_markdown, base_version, base_title, base_markdown, additions, deletions) = 0
  end),
  constraint drafts_approval check (num_nulls(approved_by_type, approved_by_name, approved_at) in (0, 3)),
  constraint drafts_settlement check (num_nulls(settled_by_type, settled_by_name, settled_at) in (0, 3)),
  constraint drafts_versions check (num_nulls(replaced_version, applied_version) in (0, 2))
);
create index drafts_queue on drafts (bot_id, created_at desc, id desc) where status = 'pending';
create index drafts_article on drafts (bot_id, article_id, created_at desc, id desc) where status = 'pending';
create index on drafts (article_id);
create index drafts_source on drafts (bot_id, source_url) where status = 'pending';
create index drafts_task on drafts (bot_id, task_id) where status = 'pending';
create unique index drafts_new_article on drafts (bot_id, article_id, workspace_id) where type <> 'edit';
-- A task proposes at most one edit per article, however often it runs.
create unique index drafts_once on drafts (task_id, workspace_id, article_id);
create index drafts_unannounced on drafts (bot_id) where not is_announced;
create index drafts_replaced on drafts (replaced_by) where replaced_by is not null;

-- The text of a new article is stored in the article behind the draft: a change of it takes the approval
-- back, which was given to the text before.
create function withdraw_approval() returns trigger language plpgsql as $$
begin
  update drafts set approved_by_type = null, approved_by_name = null, approved_at = null
  where bot_id = new.bot_id and article_id = new.id and type <> 'edit' and status = 'pending'
    and approved_at is not null;
  return null;
end $$;
create trigger articles_withdraw_approval after update of title, content_markdown on articles
for each row when (new.status = 'in_review'
  and (old.title, old.content_markdown) is distinct from (new.title, new.content_markdown))
execute function withdraw_approval();

create table places (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  article_id text not null,
  -- The latest task that has found it; null: no task has.
  task_id text,
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  -- null: the whole article.
  heading text,
  line integer not null check (line > 0),
  reason text not null,
  evidence jsonb not null,
  -- A key and a summary: the key is the same in each change that asks for the same words.
  statement jsonb not null,
  source_kind text not null,
  source_title text not null,
  source_url text,
  assignee_id text,
  settled_by_name text,
  settled_at timestamptz,
  dismissal_reason text
    check (dismissal_reason in ('not_needed', 'wrong_article', 'wrong_text', 'duplicate', 'later')),
  dismissal_comment text,
  is_announced boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
    on delete cascade,
  foreign key (bot_id, task_id, workspace_id) references tasks (bot_id, id, workspace_id),
  -- A place of a person who leaves the workspace is nobody's.
  foreign key (workspace_id, assignee_id) references memberships on delete set null (assignee_id)
);
create index places_queue on places (bot_id, status, created_at desc, id desc);
create index places_article on places (article_id);
create index places_task on places (task_id);
create index places_assignee on places (assignee_id) where assignee_id is not null;
create index places_unannounced on places (bot_id) where not is_announced;

create table suppressed_statements (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- null: a new article that was proposed.
  article_id text,
  key text not null,
  summary text not null,
  reason text not null check (reason in ('not_needed', 'wrong_article', 'wrong_text')),
  comment text,
  draft_id text,
  author_type text not null,
  author_name text not null,
  created_at timestamptz not null,
  -- The dismissed place, which is held back like a dismissed draft.
  place_id text,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint suppressed_statements_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  constraint suppressed_statements_draft_id_fkey
    foreign key (draft_id, workspace_id) references drafts on delete set null (draft_id),
  foreign key (place_id, workspace_id) references places on delete set null (place_id)
);
create index on suppressed_statements (bot_id, created_at desc, id desc);
create index on suppressed_statements (article_id);
create index on suppressed_statements (draft_id);
create unique index suppressed_statements_once
  on suppressed_statements (bot_id, coalesce(article_id, ''), key, workspace_id);
create index on suppressed_statements (place_id) where place_id is not null;

-- People who have a draft open at present. Losing the rows in a crash does no harm.
create unlogged table draft_viewers (
  workspace_id text not null,
  bot_id uuid not null,
  draft_id text not null,
  person_id text not null,
  seen_at timestamptz not null,
  primary key (draft_id, workspace_id, person_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint draft_viewers_draft_id_fkey
    foreign key (draft_id, workspace_id) references drafts on delete cascade,
  foreign key (workspace_id, person_id) references memberships on delete cascade
);
create index on draft_viewers (bot_id, seen_at);

create table previews (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- The draft that the link shows; null: all pending drafts of the source.
  draft_id text,
  source_key text not null,
  author_name text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint previews_draft_id_fkey foreign key (draft_id, workspace_id) references drafts on delete cascade
);
create index on previews (bot_id, source_key);
create index on previews (draft_id);

-- Begins a visit by a link: what it shows, until it expires or is revoked.
create function find_preview(p_id text)
returns table (preview_slug text, draft_id text, source_key text, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.slug, p.draft_id, p.source_key, p.expires_at
  from previews p join bots b on b.id = p.bot_id
  where p.id = p_id and p.expires_at > now()
$$;

-- When a bot's channels last got a digest of what waits for review.
create table review_digests (
  workspace_id text not null,
  bot_id uuid not null,
  sent_at timestamptz not null,
  primary key (bot_id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
