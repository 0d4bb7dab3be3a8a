-- The stored search indexes (decision 11), embeddings, and each bot's synonyms.

-- A cache that can be rebuilt from the articles at any time: it spares a new process the indexing.
create table search_indexes (
  bot_id uuid not null,
  workspace_id text not null,
  -- The change stamp up to which the index is complete.
  seen timestamptz not null,
  data bytea not null,
  primary key (bot_id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id) on delete cascade
);
-- The data is numbers that hardly compress, and it is only read and written as a whole.
alter table search_indexes alter data set storage external;

-- The progress of each bot's embeddings.
create table bot_vectors (
  bot_id uuid not null,
  workspace_id text not null,
  -- The model that made the vectors; those of another model are made again.
  model text not null,
  -- The length of each vector; 0 before the first.
  dimensions integer not null default 0,
  -- The change stamp up to which every live article has its vectors.
  seen timestamptz not null default '0001-01-01 00:00:00+00',
  -- Search uses the vectors only once all exist: earlier, articles that have some would outrank the others.
  is_complete boolean not null default false,
  primary key (bot_id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id) on delete cascade
);

create table article_vectors (
  bot_id uuid not null,
  workspace_id text not null,
  article_id text not null,
  -- The change stamp of the article when it was embedded.
  seen timestamptz not null,
  -- Its chunks one after the other: hash, range of passages, and the vector in integers of 8 bits.
  chunks bytea not null,
  primary key (bot_id, article_id, workspace_id),
  foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
    on delete cascade
);
-- The numbers hardly compress, and they are only read and written as a whole.
alter table article_vectors alter chunks set storage external;
create index article_vectors_seen on article_vectors (bot_id, seen, article_id, workspace_id);

-- Each line is a group of synonyms, separated by commas.
create table bot_synonyms (
  workspace_id text not null,
  bot_id uuid not null,
  lines text[] not null,
  updated_at timestamptz not null,
  primary key (workspace_id, bot_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);

-- PostgreSQL's configuration for a language, as far as this server has one; `simple` takes words as they are.
create function search_config(p_locale text) returns regconfig language sql stable as $$
  select coalesce((select c.oid::regconfig from pg_ts_config c
    where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = case split_part(p_locale, '-', 1)
      when 'ar' then 'arabic' when 'ca' then 'catalan' when 'da' then 'danish' when 'de' then 'german'
      when 'el' then 'greek' when 'en' then 'english' when 'es' then 'spanish' when 'et' then 'estonian'
      when 'eu' then 'basque' when 'fi' then 'finnish' when 'fr' then 'french' when 'ga' then 'irish'
      when 'hi' then 'hindi' when 'hu' then 'hungarian' when 'hy' then 'armenian'
      when 'id' then 'indonesian' when 'it' then 'italian' when 'lt' then 'lithuanian'
      when 'nb' then 'norwegian' when 'ne' then 'nepali' when 'nl' then 'dutch' when 'nn' then 'norwegian'
      when 'no' then 'norwegian' when 'pt' then 'portuguese' when 'ro' then 'romanian'
      when 'ru' then 'russian' when 'sr' then 'serbian' when 'sv' then 'swedish' when 'ta' then 'tamil'
      when 'tr' then 'turkish' when 'yi' then 'yiddish' end), 'simple')
$$;

-- Bots of all workspaces whose stored index lacks more than `p_few` live articles. It runs with the owner's
-- rights, because the worker is in no workspace when it asks.
create function search_behind(p_few integer, p_most integer)
returns table (workspace_id text, id uuid, slug text, name text, locale text)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.workspace_id, b.id, b.slug, b.name, b.locale
  from bots b left join search_indexes s on s.bot_id = b.id
  where b.changed_at > coalesce(s.seen, '-infinity') and (
    select count(*) from (
      select from articles a where a.bot_id = b.id and a.deleted_at is null and a.status = 'published'
        and a.updated_at > coalesce(s.seen, '-infinity') limit p_few + 1) as changed) > p_few
  order by b.changed_at limit p_most
$$;

-- Bots of all workspaces whose locale matches, with articles whose last change has no vectors of this
-- model, the oldest change first. It runs with the owner's rights, because the worker is in no workspace
-- when it asks.
create function vectors_behind(p_model text, p_locales text, p_most integer)
returns table (workspace_id text, id uuid, slug text, name text, locale text)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.workspace_id, b.id, b.slug, b.name, b.locale
  from bots b left join bot_vectors v on v.bot_id = b.id and v.model = p_model
    cross join lateral (select coalesce(v.seen, '-infinity') as at) as seen
    cross join lateral (select least(
      (select min(a.updated_at) from articles a
        where a.bot_id = b.id and a.deleted_at is null and a.updated_at > seen.at),
      (select min(a.deleted_at) from articles a where a.bot_id = b.id and a.deleted_at > seen.at)) as at
    ) as changed
  where b.locale ~ p_locales
    and (v.bot_id is null or not v.is_complete or b.changed_at > v.seen) and changed.at is not null
  order by changed.at, b.id limit p_most
$$;
