-- Assignees of drafts, comments on drafts, places and articles, and notices to people.

alter table drafts
  add column assignee_id text,
  -- A draft of a person who leaves the workspace is nobody's.
  add constraint drafts_assignee foreign key (workspace_id, assignee_id) references memberships
    on delete set null (assignee_id);
create index drafts_assignee on drafts (assignee_id) where assignee_id is not null;

create table comments (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- The id of a draft, a place or an article, and the article that it belongs to.
  subject text not null,
  article_id text not null,
  -- Words of the text that the comment is about; null: the whole subject.
  block text,
  body text not null,
  author_type text not null,
  author_name text not null,
  author_id text,
  reply_to text,
  resolved_at timestamptz,
  resolved_by_name text,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
    on delete cascade,
  foreign key (reply_to, workspace_id) references comments on delete cascade,
  -- Only a thread is resolved, by its first comment.
  check (reply_to is null or resolved_at is null)
);
create index on comments (bot_id, subject, created_at, id);
create index on comments (article_id);
create index on comments (reply_to) where reply_to is not null;

create table notices (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  person_id text not null,
  kind text not null check (kind in ('assigned', 'mentioned', 'commented', 'applied', 'dismissed')),
  -- The id of a draft, a place or an article, with its title at the time.
  subject text not null,
  title text not null,
  excerpt text,
  by_name text not null,
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  -- The notices of a person who leaves the workspace go too.
  foreign key (workspace_id, person_id) references memberships on delete cascade
);
create index on notices (bot_id, person_id, created_at desc, id desc);
create index notices_of_person on notices (person_id);

do $$ declare name text; begin
  foreach name in array array['comments', 'notices'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update, delete on comments, notices to instep_app;
