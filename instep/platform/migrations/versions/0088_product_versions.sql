-- Versions of the product that a help center describes, and the versions that each article is about.

create table product_versions (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  slug text not null,
  name text not null,
  -- 0 is the oldest version.
  position integer not null,
  is_current boolean not null,
  -- Patterns of branch names, such as `release/1.*`.
  branches text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, workspace_id),
  constraint product_versions_bot_id_id_key unique (bot_id, id, workspace_id),
  constraint product_versions_slug unique (bot_id, slug, workspace_id),
  constraint product_versions_position unique (bot_id, position, workspace_id) deferrable,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create unique index product_versions_current on product_versions (bot_id, workspace_id) where is_current;
alter table product_versions enable row level security;
create policy tenant on product_versions to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on product_versions to instep_app;

-- The first and the last version that an article is about; null: no bound. Translations have those of their
-- original. Only articles in Recently deleted lose a bound with its version.
alter table articles add column since_version text, add column until_version text,
  -- The id of the article with which the family of a topic began; null: this one, or none. That article may
  -- be purged before the others.
  add column version_family text,
  add constraint articles_since_version foreign key (bot_id, since_version, workspace_id)
    references product_versions (bot_id, id, workspace_id) on delete set null (since_version),
  add constraint articles_until_version foreign key (bot_id, until_version, workspace_id)
    references product_versions (bot_id, id, workspace_id) on delete set null (until_version);
create index articles_since_versions on articles (since_version) where since_version is not null;
create index articles_until_versions on articles (until_version) where until_version is not null;
create index articles_version_families on articles (bot_id, version_family)
  where version_family is not null;

drop trigger articles_stamped on articles;
create trigger articles_stamped
before update of status, locale, title, description, content_markdown, visibility, collection_id,
  since_version, until_version on articles
for each row when (old.updated_at = new.updated_at and
  (old.status, old.locale, old.title, old.description, old.content_markdown, old.visibility,
    old.collection_id, old.since_version, old.until_version)
  is distinct from
  (new.status, new.locale, new.title, new.description, new.content_markdown, new.visibility,
    new.collection_id, new.since_version, new.until_version))
execute function stamp_article();
