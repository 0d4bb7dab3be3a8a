-- Edited comments, versions of a draft's text, people's languages, and emails that were not delivered.

alter table comments
  -- Earlier texts, oldest first: {body, until}.
  add column earlier jsonb not null default '[]';

-- Texts that a draft had before it was changed, with the columns of the draft that belong to its text.
create table draft_versions (
  workspace_id text not null,
  bot_id uuid not null,
  draft_id text not null,
  number integer not null,
  -- The proposed title; null: the article's.
  title text,
  content_markdown text not null,
  certainty text,
  evidence jsonb not null,
  warnings jsonb not null,
  edited_by_name text,
  edited_lines integer[] not null,
  model text,
  -- The person who replaced it, and the time.
  replaced_by_name text not null,
  replaced_at timestamptz not null,
  primary key (draft_id, number, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (draft_id, workspace_id) references drafts on delete cascade
);
create index on draft_versions (workspace_id, bot_id);

alter table people
  -- The language of emails; null: that of the workspace's first help center.
  add column locale text;
grant select (locale) on people to instep_app;

create function set_locale(p_person text, p_locale text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update people set locale = p_locale where id = p_person
$$;
revoke execute on function set_locale from public;
grant execute on function set_locale to instep_app;

-- The last email to an address, if the SMTP server did not accept it.
create table undelivered_emails (
  workspace_id text not null references workspaces,
  address text not null,
  reason text not null,
  failed_at timestamptz not null,
  primary key (workspace_id, address)
);
create function prune_undelivered_emails(p_age interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from undelivered_emails where failed_at < now() - p_age
$$;
revoke execute on function prune_undelivered_emails from public;
grant execute on function prune_undelivered_emails to instep_app;

do $$ declare name text; begin
  foreach name in array array['draft_versions', 'undelivered_emails'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update, delete on draft_versions, undelivered_emails to instep_app;
