-- Versions of articles that everyone could read, for feeds, and readers who follow them by email.

create table published_versions (
  workspace_id text not null,
  bot_id uuid not null,
  article_id text not null,
  version integer not null,
  -- Whether no earlier version of the article was public.
  is_first boolean not null,
  -- The headings of the sections that the version before did not have in this form.
  sections text[] not null,
  published_at timestamptz not null,
  primary key (article_id, version, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id, workspace_id)
    references articles (bot_id, id, workspace_id) on delete cascade
);
create index on published_versions (bot_id, published_at desc);

insert into published_versions
select a.workspace_id, a.bot_id, a.id, a.version, true, '{}', coalesce(a.published_at, a.updated_at)
from articles a
left join collections c on c.workspace_id = a.workspace_id and c.id = a.collection_id
left join collections parent on parent.workspace_id = a.workspace_id and parent.id = c.parent_id
left join collections top on top.workspace_id = a.workspace_id and top.id = parent.parent_id
where a.status = 'published' and a.deleted_at is null and a.visibility = 'public'
  and coalesce(c.visibility, 'public') = 'public' and coalesce(parent.visibility, 'public') = 'public'
  and coalesce(top.visibility, 'public') = 'public';

-- A reader's email address that follows an article, a collection, or else the changelog.
create table subscriptions (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- In lower case.
  email text not null,
  -- The language of the followed page and of the emails.
  locale text not null,
  article_id text,
  collection_id text,
  -- The hash of the token in the newest link that confirms it; null: none is waiting.
  token_hash bytea,
  requested_at timestamptz not null,
  confirmed_at timestamptz,
  -- The reader knows everything that was published until then.
  notified_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (id, workspace_id),
  check (num_nonnulls(article_id, collection_id) <= 1),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id, workspace_id)
    references articles (bot_id, id, workspace_id) on delete cascade,
  foreign key (bot_id, collection_id, workspace_id)
    references collections (bot_id, id, workspace_id) on delete cascade
);
create unique index subscriptions_topic on subscriptions
  (bot_id, email, workspace_id, coalesce(article_id, ''), coalesce(collection_id, ''), locale);
create index on subscriptions (article_id) where article_id is not null;
create index on subscriptions (collection_id) where collection_id is not null;
create index on subscriptions (token_hash) where token_hash is not null;

-- Help centers with readers whose digest is due, for the job that sends it. It reaches to the last 6:00 UTC
-- that was a minute ago: every transaction before that moment has ended.
create function bots_with_due_subscriptions()
returns table (workspace_id text, bot_id uuid, published_until timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct s.workspace_id, s.bot_id, d.published_until
  from subscriptions s join bots b on b.id = s.bot_id, (select date_trunc('day',
      now() at time zone 'UTC' - interval '6 hours 1 minute') at time zone 'UTC' + interval '6 hours'
    as published_until) d
  where s.confirmed_at is not null and s.notified_at < d.published_until
    and coalesce((b.frame ->> 'follow_by_email')::boolean, true)
  order by s.workspace_id, s.bot_id
$$;

create function prune_subscriptions(p_age interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from subscriptions where confirmed_at is null and requested_at < now() - p_age
$$;

do $$ declare name text; begin
  foreach name in array array['published_versions', 'subscriptions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, delete on published_versions to instep_app;
grant select, insert, update, delete on subscriptions to instep_app;
revoke execute on function bots_with_due_subscriptions, prune_subscriptions from public;
grant execute on function bots_with_due_subscriptions, prune_subscriptions to instep_app;
