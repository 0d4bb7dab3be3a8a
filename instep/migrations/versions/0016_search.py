"""Indexes of whole bots in the place of a row for each live article (decision 11)."""

from alembic import op

revision = "0016"
down_revision = "0015"

# What it knew stands in the articles; search_config stays.
DROP = """
drop trigger article_search_insert on articles;
drop trigger article_search_update on articles;
drop function index_article, search_matches, search_row, search_title, search_words, search_scope;
drop table article_search;
"""

TABLE = """
-- A copy of what the articles say, made anew from them at any time: it spares a new process the reading.
create table search_indexes (
  bot_id uuid primary key,
  workspace_id text not null,
  -- The change stamp up to which it holds everything.
  seen timestamptz not null,
  data bytea not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id) on delete cascade
);
-- It is of numbers that hardly get shorter, and is only read and written whole.
alter table search_indexes alter data set storage external;

alter table search_indexes enable row level security;
create policy tenant on search_indexes to instep_app
  using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update on search_indexes to instep_app;

-- What was deleted since a stamp.
create index articles_gone on articles (bot_id, deleted_at) where deleted_at is not null;
"""

STAMP = """
-- Every change that readers see has a change stamp, by which the index finds it; one by hand in SQL too.
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
"""

BEHIND = """
-- Bots of all companies whose stored index lacks more than a few live articles. With the owner's power,
-- for the worker is in no company when it asks.
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
revoke execute on function search_behind from public;
grant execute on function search_behind to instep_app;
"""


def upgrade() -> None:
    for step in (DROP, TABLE, STAMP, BEHIND):
        op.execute(step)
