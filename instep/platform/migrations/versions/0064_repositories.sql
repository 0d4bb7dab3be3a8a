-- Repositories at code hosts, whose pull requests become tasks by webhook and by polling.

-- An account at a code host: a token with a webhook secret, or a GitHub App that was made for this workspace.
create table code_hosts (
  id text not null,
  workspace_id text not null references workspaces,
  kind text not null check (kind in ('github', 'gitlab', 'gitea', 'bitbucket')),
  -- The URL that people open, and the URL of the API.
  url text not null,
  api_url text not null,
  -- The slug of the app in its addresses; null: a token.
  app_slug text,
  -- JSON: the secret of the webhook, and the token or the app's id and private key.
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (id, workspace_id)
);
create index on code_hosts (workspace_id, created_at, id);

create table repositories (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  code_host_id text not null,
  -- The id that the host never changes, unlike the name.
  remote_id text not null,
  name text not null,
  default_branch text not null,
  -- null: the default branch.
  branch text,
  moment text not null check (moment in ('opened', 'approved', 'merged')),
  -- Folders and patterns of files; empty: all files.
  paths text[] not null,
  includes_bots boolean not null,
  -- The installation of the app that reaches it; null: a token does.
  installation_id bigint,
  -- Changes of before were seen by a poll, or were made before the repository was connected.
  polled_until timestamptz not null,
  -- When the next poll is due.
  poll_at timestamptz not null,
  -- null: the last poll has worked, or there was none.
  last_error text,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  unique (workspace_id, bot_id, code_host_id, remote_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (code_host_id, workspace_id) references code_hosts (id, workspace_id)
);
create index on repositories (workspace_id, code_host_id, remote_id);
create index on repositories (poll_at);

-- A pull request at one commit: whichever deliveries and polls tell of it, it becomes one task at most.
create table repository_changes (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  repository_id text not null,
  number integer not null,
  head text not null,
  title text not null,
  url text not null,
  is_approved boolean not null,
  status text not null check (status in ('waiting', 'sent', 'ignored', 'unaffected', 'failed')),
  -- The reason of the status, in words.
  message text,
  task_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, workspace_id),
  unique (repository_id, number, head, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (repository_id, workspace_id) references repositories (id, workspace_id) on delete cascade
);
create index on repository_changes (bot_id, updated_at, id);

create function workspace_of_code_host(p_id text) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select workspace_id from code_hosts where id = p_id
$$;

-- Repositories whose poll is due, and which by that are not due again within the wait.
create function repositories_to_poll(p_wait interval, p_most integer)
returns table (workspace_id text, bot_id uuid, id text)
language sql security definer set search_path = public, pg_temp as $$
  update repositories r set poll_at = now() + p_wait
  where (r.id, r.workspace_id) in (
    select d.id, d.workspace_id from repositories d where d.poll_at <= now()
    order by d.poll_at, d.id limit p_most for update skip locked)
  returning r.workspace_id, r.bot_id, r.id
$$;

alter table code_hosts enable row level security;
create policy tenant on code_hosts to instep_app
  using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
do $$ declare name text; begin
  foreach name in array array['repositories', 'repository_changes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update, delete on code_hosts, repositories, repository_changes to instep_app;
revoke execute on function workspace_of_code_host, repositories_to_poll from public;
grant execute on function workspace_of_code_host, repositories_to_poll to instep_app;
