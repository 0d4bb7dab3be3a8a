"""Collections, articles with their former slugs and revisions."""

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = """
create table collections (
  id text primary key,
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
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  unique (bot_id, id),
  constraint collections_slug unique (bot_id, slug)
);
create index on collections (bot_id, sort_order, created_at, id);

create table articles (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  slug text not null,
  locale text not null,
  translation_of text,
  title text not null,
  description text,
  content_markdown text not null,
  -- Rendered when written, so that no reader waits for it.
  content_html text not null,
  collection_id text,
  visibility text not null check (visibility in ('public', 'authenticated')),
  position integer not null,
  status text not null check (status in ('draft', 'in_review', 'published', 'archived')),
  version integer not null,
  -- Who wrote the present text, and by what: they go into the revision when it is replaced.
  origin text not null,
  draft_id text,
  author_type text not null,
  author_name text not null,
  text_changed_at timestamptz not null,
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, collection_id) references collections (bot_id, id) on delete set null (collection_id),
  foreign key (bot_id, translation_of) references articles (bot_id, id),
  unique (bot_id, id)
);
create unique index articles_slug on articles (bot_id, slug, locale) where deleted_at is null;
create unique index articles_translation on articles (translation_of, locale) where deleted_at is null;
create index articles_changed on articles (bot_id, updated_at desc, id desc) where deleted_at is null;
create index articles_sidebar on articles (bot_id, collection_id, position, id) where deleted_at is null;

create table former_slugs (
  workspace_id text not null,
  bot_id uuid not null,
  locale text not null,
  slug text not null,
  article_id text not null,
  primary key (bot_id, slug, locale),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade
);

create table revisions (
  id text primary key,
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
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade,
  unique (article_id, version)
);
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['collections', 'articles', 'former_slugs', 'revisions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
    execute format('grant select, insert, update, delete on %I to instep_app', name);
  end loop;
end $$;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY):
        op.execute(step)
