"""Vectors of articles, piece by piece, for embeddings; without the extension `vector` there are none."""

from alembic import op

revision = "0021"
down_revision = "0020"

TABLE = """
-- How far the vectors of a bot are made.
create table bot_vectors (
  bot_id uuid primary key,
  workspace_id text not null,
  -- What made them; those of another model are made anew.
  model text not null,
  -- How many numbers each has; 0 before the first.
  dimensions integer not null default 0,
  -- The change stamp up to which every live article has them.
  seen timestamptz not null default '0001-01-01 00:00:00+00',
  -- They are used from then on; before, those that have some would stand above those that have none.
  is_complete boolean not null default false,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id) on delete cascade
);

alter table bot_vectors enable row level security;
create policy tenant on bot_vectors to instep_app
  using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on bot_vectors to instep_app;
"""

SET_UP = """
-- Whether vectors can be kept here; what they are kept in is made when it is missing. By the owner, at the
-- start too: the extension may have come later than this step.
create function set_up_vectors() returns boolean language plpgsql as $$
begin
  if to_regclass('public.passage_vectors') is not null then
    return true;
  end if;
  create extension if not exists vector;
  -- No index but by article: an approximate one loses most of what a bot has, and all of a bot is soon read.
  create table passage_vectors (
    bot_id uuid not null,
    workspace_id text not null,
    article_id text not null,
    -- The place of the piece in its article, and the passages that it is of.
    number integer not null,
    first_passage integer not null,
    last_passage integer not null,
    -- Of what was read: what says the same keeps its vector.
    hash bytea not null,
    vector halfvec not null,
    primary key (bot_id, article_id, number),
    foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade
  );
  -- In the row itself: to fetch it from elsewhere takes longer than to compare it.
  alter table passage_vectors alter vector set storage main;
  alter table passage_vectors enable row level security;
  create policy tenant on passage_vectors to instep_app
    using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
  grant select, insert, update, delete on passage_vectors to instep_app;
  return true;
exception when feature_not_supported or undefined_file or undefined_object or insufficient_privilege then
  return false;
end $$;
revoke execute on function set_up_vectors from public;
"""

BEHIND = """
-- Bots of all companies with articles whose change the vectors of this model lack, the oldest change first.
-- With the owner's power, for the worker is in no company when it asks.
create function vectors_behind(p_model text, p_most integer)
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
  where (v.bot_id is null or not v.is_complete or b.changed_at > v.seen) and changed.at is not null
  order by changed.at, b.id limit p_most
$$;
revoke execute on function vectors_behind from public;
grant execute on function vectors_behind to instep_app;
"""


def upgrade() -> None:
    for step in (TABLE, SET_UP, BEHIND, "select set_up_vectors()"):
        op.execute(step)
