-- Collections, and articles with their former slugs and revisions; redirects from an earlier help center.

create table collections (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  slug text not null,
  title text not null,
  description text,
  icon text,
  visibility text not null check (visibility in ('public', 'authenticated')),
  sort_order integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  parent_id text,
  primary key (id, workspace_id),
  constraint collections_bot_id_id_key unique (bot_id, id, workspace_id),
  constraint collections_slug unique (bot_id, slug, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint collections_parent
    foreign key (bot_id, parent_id, workspace_id) references collections (bot_id, id, workspace_id),
  constraint collections_parent_is_another check (parent_id <> id)
);
create index on collections (bot_id, sort_order, created_at, id);
create index collections_children on collections (bot_id, parent_id) where parent_id is not null;

create table articles (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  slug text not null,
  locale text not null,
  translation_of text,
  title text not null,
  description text,
  content_markdown text not null,
  -- Rendered when written, so that readers do not wait for it.
  content_html text not null,
  collection_id text,
  visibility text not null check (visibility in ('public', 'authenticated')),
  position integer not null,
  status text not null check (status in ('draft', 'in_review', 'published', 'archived')),
  version integer not null,
  -- The author of the present text and its origin; both go into the revision when the text is replaced.
  origin text not null,
  draft_id text,
  author_type text not null,
  author_name text not null,
  text_changed_at timestamptz not null,
  -- The working copy: what the editor saved over a published text; it is invisible until it is published.
  working_title text,
  working_markdown text,
  working_author_type text,
  working_author_name text,
  working_saved_at timestamptz,
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  -- The version of the renderer that made the HTML; the worker renders older HTML again.
  html_version smallint not null default 0,
  primary key (id, workspace_id),
  constraint articles_bot_id_id_key unique (bot_id, id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint articles_bot_id_collection_id_fkey
    foreign key (bot_id, collection_id, workspace_id)
      references collections (bot_id, id, workspace_id) on delete set null (collection_id),
  -- Purging an article purges its translations, which are never deleted later than it.
  constraint articles_bot_id_translation_of_fkey
    foreign key (bot_id, translation_of, workspace_id)
      references articles (bot_id, id, workspace_id) on delete cascade,
  constraint articles_working_copy
    check (num_nulls(working_title, working_markdown, working_author_type, working_author_name,
    working_saved_at) in (0, 5))
);
create index articles_changed on articles (bot_id, updated_at desc, id desc) where deleted_at is null;
create index articles_sidebar on articles (bot_id, collection_id, position, id) where deleted_at is null;
create index articles_deleted on articles (deleted_at) where deleted_at is not null;
-- The search index asks what was deleted since a stamp.
create index articles_gone on articles (bot_id, deleted_at) where deleted_at is not null;
-- A purge cascades along this key; the other indexes hold only articles that are not deleted.
create index on articles (translation_of) where translation_of is not null;
create index articles_locales on articles (bot_id, locale)
  where status = 'published' and deleted_at is null and visibility = 'public';
create unique index articles_slug on articles (bot_id, slug, workspace_id, locale) where deleted_at is null;
create unique index articles_translation on articles (translation_of, workspace_id, locale)
  where translation_of is not null and deleted_at is null;
create index articles_counted on articles (bot_id, collection_id, locale, translation_of)
  include (workspace_id) where deleted_at is null;
create index articles_html on articles (html_version);

-- Every change that readers see has a change stamp, by which the search index finds it; this trigger stamps
-- changes that an operator makes in SQL as well.
create function stamp_article() returns trigger language plpgsql as $$
begin
  new.updated_at := stamp_change(new.bot_id);
  return new;
end $$;
create trigger articles_stamped
before update of status, locale, title, description, content_markdown, visibility, collection_id on articles
for each row when (old.updated_at = new.updated_at and
  (old.status, old.locale, old.title, old.description, old.content_markdown, old.visibility,
    old.collection_id)
  is distinct from
  (new.status, new.locale, new.title, new.description, new.content_markdown, new.visibility,
    new.collection_id))
execute function stamp_article();

-- Removes at most `p_most` articles for good and returns their number, so that no statement runs long. It
-- locks in the order of ids, as every statement does that locks several articles.
create function purge_deleted_articles(p_older_than interval, p_most integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with due as (
    select id from articles where deleted_at <= now() - p_older_than order by id limit p_most for update
  ), purged as (
    delete from articles a using due where a.id = due.id returning a.id
  )
  select count(*)::integer from purged
$$;

create table former_slugs (
  workspace_id text not null,
  bot_id uuid not null,
  locale text not null,
  slug text not null,
  article_id text not null,
  primary key (bot_id, slug, workspace_id, locale),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint former_slugs_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade
);
create index on former_slugs (article_id);

create table revisions (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  article_id text not null,
  version integer not null,
  title text not null,
  content_markdown text not null,
  origin text not null,
  draft_id text,
  author_type text not null,
  author_name text not null,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  constraint revisions_article_id_version_key unique (article_id, workspace_id, version),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint revisions_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade
);

create table redirects (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- Decoded, without query, fragment, host and slash at the end; `*` stands for one segment or its rest.
  path text not null,
  -- The exact path, or a literal segment of the pattern at its place, by which lookups find it.
  anchor text not null,
  article_id text,
  url text,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  constraint redirects_path unique (bot_id, path, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint redirects_bot_id_article_id_fkey
    foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
      on delete cascade,
  constraint redirects_target check (num_nonnulls(article_id, url) = 1)
);
create index redirects_anchor on redirects (bot_id, anchor);
create index redirects_newest on redirects (bot_id, created_at desc, id desc);
-- A purge of articles cascades along this key.
create index redirects_article on redirects (article_id) where article_id is not null;
