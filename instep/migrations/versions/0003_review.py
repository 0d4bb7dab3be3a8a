"""The review queue: drafts; the tasks that propose them; what makes a repeated task request one task."""

from alembic import op

revision = "0003"
down_revision = "0002"

TABLES = """
create table tasks (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  type text not null check (type in ('document_change', 'write_article')),
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  change_kind text not null,
  change_title text not null,
  change_url text,
  change_body text,
  diff text,
  outcome text check (outcome in ('drafts', 'no_changes')),
  summary text,
  reviewed jsonb not null default '[]',
  error_code text,
  error_message text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  unique (bot_id, id)
);
create index on tasks (bot_id, created_at desc, id desc);

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
  content_markdown text not null,
  reason text,
  source_url text,
  -- The text that the proposal was made against, for the conflict and the three-way merge.
  base_version integer not null,
  base_title text not null,
  base_markdown text not null,
  -- The diff's counts against that text, kept so that lists need not compare texts.
  additions integer not null,
  deletions integer not null,
  evidence jsonb not null,
  warnings jsonb not null,
  author_type text not null,
  author_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade,
  foreign key (bot_id, task_id) references tasks (bot_id, id)
);
create index drafts_queue on drafts (bot_id, created_at desc, id desc) where status = 'pending';
create index drafts_article on drafts (bot_id, article_id, created_at desc, id desc) where status = 'pending';
-- A task proposes at most one edit of an article, however often it runs.
create unique index drafts_once on drafts (task_id, article_id);
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['tasks', 'idempotency_keys', 'drafts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
    execute format('grant select, insert, update, delete on %I to instep_app', name);
  end loop;
end $$;

create function prune_idempotency_keys(p_older_than interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from idempotency_keys where created_at < now() - p_older_than
$$;
revoke execute on function prune_idempotency_keys from public;
grant execute on function prune_idempotency_keys to instep_app;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY):
        op.execute(step)
