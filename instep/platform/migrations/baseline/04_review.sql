-- The review queue: tasks, the drafts that they propose, and idempotency keys.

create table tasks (
  id text primary key,
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
  outcome text check (outcome in ('drafts', 'no_changes')),
  summary text,
  reviewed jsonb not null default '[]',
  error_code text,
  error_message text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  unique (bot_id, id),
  constraint tasks_work check (case type
    when 'document_change' then num_nulls(change_kind, change_title) = 0 and article is null
    else num_nonnulls(change_kind, change_title, change_url, change_body, diff) = 0 and article is not null
  end)
);
create index on tasks (bot_id, created_at desc, id desc);

-- Makes a repeated request of a task return the first task.
create table idempotency_keys (
  workspace_id text not null references workspaces,
  key text not null,
  request_hash bytea not null,
  task_id text not null references tasks deferrable initially deferred,
  created_at timestamptz not null,
  primary key (workspace_id, key)
);
create index on idempotency_keys (created_at);

create table drafts (
  id text primary key,
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
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade,
  foreign key (bot_id, task_id) references tasks (bot_id, id),
  -- The title and text of a new article are stored only in the unpublished article behind the draft.
  constraint drafts_text check (case
    when type = 'edit'
    then num_nulls(content_markdown, base_version, base_title, base_markdown, additions, deletions) = 0
    else title is null
      and num_nonnulls(content_markdown, base_version, base_title, base_markdown, additions, deletions) = 0
  end)
);
create index drafts_queue on drafts (bot_id, created_at desc, id desc) where status = 'pending';
create index drafts_article on drafts (bot_id, article_id, created_at desc, id desc) where status = 'pending';
create index on drafts (article_id);
-- A task proposes at most one edit per article, however often it runs.
create unique index drafts_once on drafts (task_id, article_id);
create unique index drafts_new_article on drafts (bot_id, article_id) where type <> 'edit';

create function prune_idempotency_keys(p_older_than interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from idempotency_keys where created_at < now() - p_older_than
$$;
