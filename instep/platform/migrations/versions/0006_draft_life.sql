-- The life of a draft: how certain it is, who approved and who settled it, what is not proposed again, and who
-- looks at it at present.

alter table drafts
  -- null: a person or a program proposed it.
  add column certainty text check (certainty in ('certain', 'likely')),
  -- What the writer's edits say, as a list of key and summary.
  add column statements jsonb not null default '[]',
  add column approved_by_type text,
  add column approved_by_name text,
  add column approved_at timestamptz,
  -- null, too, in drafts that were settled before these columns existed.
  add column settled_by_type text,
  add column settled_by_name text,
  add column settled_at timestamptz,
  add column dismissal_reason text
    check (dismissal_reason in ('not_needed', 'wrong_article', 'wrong_text', 'duplicate', 'later')),
  add column dismissal_comment text,
  -- The article's versions before and after the draft was applied.
  add column replaced_version integer,
  add column applied_version integer,
  add constraint drafts_approval check (num_nulls(approved_by_type, approved_by_name, approved_at) in (0, 3)),
  add constraint drafts_settlement check (num_nulls(settled_by_type, settled_by_name, settled_at) in (0, 3)),
  add constraint drafts_versions check (num_nulls(replaced_version, applied_version) in (0, 2));
create index drafts_source on drafts (bot_id, source_url) where status = 'pending';
create index drafts_task on drafts (bot_id, task_id) where status = 'pending';

-- The text of a new article is stored in the article behind the draft: whoever changes it takes the approval
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

create table suppressed_statements (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  -- null: a new article that was proposed.
  article_id text,
  key text not null,
  summary text not null,
  reason text not null check (reason in ('not_needed', 'wrong_article', 'wrong_text')),
  comment text,
  draft_id text references drafts on delete set null,
  author_type text not null,
  author_name text not null,
  created_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade
);
create unique index suppressed_statements_once on suppressed_statements (bot_id, coalesce(article_id, ''), key);
create index on suppressed_statements (bot_id, created_at desc, id desc);
create index on suppressed_statements (article_id);
create index on suppressed_statements (draft_id);

-- Who has a draft open at present. Losing it in a crash does no harm.
create unlogged table draft_viewers (
  workspace_id text not null,
  bot_id uuid not null,
  draft_id text not null references drafts on delete cascade,
  person_id text not null references people on delete cascade,
  seen_at timestamptz not null,
  primary key (draft_id, person_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on draft_viewers (bot_id, seen_at);

do $$ declare name text; begin
  foreach name in array array['suppressed_statements', 'draft_viewers'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update, delete on suppressed_statements, draft_viewers to instep_app;
