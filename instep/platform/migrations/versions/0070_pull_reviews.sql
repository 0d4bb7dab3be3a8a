-- Review in the pull request: one comment, commands of people, and a status on the head commit.

alter table repositories
  -- Repositories of before were connected to be read only.
  add column comments boolean not null default false,
  add column status_mode text not null default 'off' check (status_mode in ('off', 'neutral', 'required')),
  -- The reason why the last comment or status could not be written; null: there is none.
  add column review_error text;
alter table repositories alter column comments drop default, alter column status_mode drop default;

-- The comments and statuses that Instep has written to a pull request.
create table repository_pulls (
  workspace_id text not null,
  bot_id uuid not null,
  repository_id text not null,
  number integer not null,
  url text not null,
  -- The beginning of the comment, by which it is found; nobody can know it before the comment is written.
  marker text not null,
  -- The id of the comment at the host; null: there is none.
  comment_id text,
  -- Digests of the comment and of the status as they were written last.
  comment_digest text,
  status_digest text,
  -- The drafts by their numbers, each with the digest of the proposal that the comment shows.
  entries jsonb not null default '[]',
  -- When its drafts were looked at, and until when a job works on it.
  looked_at timestamptz not null,
  busy_until timestamptz not null,
  primary key (repository_id, number, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (repository_id, workspace_id) references repositories (id, workspace_id) on delete cascade
);
create index on repository_pulls (workspace_id, bot_id);
create index on repository_pulls (looked_at);

-- Comments with commands that were accepted, so that a repeated delivery does nothing.
create table pull_commands (
  workspace_id text not null,
  bot_id uuid not null,
  repository_id text not null,
  number integer not null,
  comment_id text not null,
  created_at timestamptz not null,
  primary key (repository_id, comment_id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (repository_id, workspace_id) references repositories (id, workspace_id) on delete cascade
);
create index on pull_commands (workspace_id, bot_id);

create index places_source on places (bot_id, source_url) where source_url is not null;

-- Pull requests whose drafts or places have changed since the last look.
create function pulls_to_review(p_overlap interval, p_most integer)
returns table (workspace_id text, bot_id uuid, repository_id text, number integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.workspace_id, p.bot_id, p.repository_id, p.number from repository_pulls p
  where exists (select from drafts d where d.workspace_id = p.workspace_id and d.bot_id = p.bot_id
      and d.status = 'pending' and d.source_url = p.url and d.updated_at > p.looked_at - p_overlap)
    or exists (select from jsonb_array_elements(p.entries) s join drafts d
      on d.id = s ->> 'id' and d.workspace_id = p.workspace_id and d.updated_at > p.looked_at - p_overlap)
    or exists (select from places c where c.workspace_id = p.workspace_id and c.bot_id = p.bot_id
      and c.source_url = p.url and c.updated_at > p.looked_at - p_overlap)
  order by p.looked_at limit p_most
$$;

do $$ declare name text; begin
  foreach name in array array['repository_pulls', 'pull_commands'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update, delete on repository_pulls, pull_commands to instep_app;
revoke execute on function pulls_to_review from public;
grant execute on function pulls_to_review to instep_app;
