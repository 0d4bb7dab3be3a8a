"""Deleting and restoring articles; the working copy of the editor."""

from alembic import op

revision = "0005"
down_revision = "0004"

WORKING_COPY = """
alter table articles
  -- What the editor saved over a published text: nobody sees it until it is published.
  add column working_title text,
  add column working_markdown text,
  add column working_author_type text,
  add column working_author_name text,
  add column working_saved_at timestamptz,
  add constraint articles_working_copy check (num_nulls(working_title, working_markdown,
    working_author_type, working_author_name, working_saved_at) in (0, 5));
"""

RECENTLY_DELETED = """
-- A purged article takes along its translations, which are never deleted later than it.
alter table articles
  drop constraint articles_bot_id_translation_of_fkey,
  add foreign key (bot_id, translation_of) references articles (bot_id, id) on delete cascade;

create index articles_deleted on articles (deleted_at) where deleted_at is not null;
-- For what a purge takes along; the other indexes hold living articles and pending drafts only.
create index on articles (translation_of) where translation_of is not null;
create index on drafts (article_id);
create index on former_slugs (article_id);

-- How many articles it removed for good: at the most `p_most`, so that no statement runs long. Locks in the
-- order of ids, as all do that lock several articles.
create function purge_deleted_articles(p_older_than interval, p_most integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with due as (
    select id from articles where deleted_at <= now() - p_older_than order by id limit p_most for update
  ), purged as (
    delete from articles a using due where a.id = due.id returning a.id
  )
  select count(*)::integer from purged
$$;
revoke execute on function purge_deleted_articles from public;
grant execute on function purge_deleted_articles to instep_app;
"""


def upgrade() -> None:
    for step in (WORKING_COPY, RECENTLY_DELETED):
        op.execute(step)
