"""Conversations and leads of visitors, the origins of bots, and how a call with a bot key begins."""

from alembic import op

revision = "0014"
down_revision = "0013"

TABLES = """
-- Whose pages may ask: scheme, host and port, each in its one spelling.
alter table bots add column origins text[] not null default '{}';
create index on bots using gin (origins);

create table conversations (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  -- Salted with the bot: tells the visitor's own conversations, and follows nobody from bot to bot.
  visitor_hash bytea not null,
  locale text not null,
  page_url text,
  status text not null check (status in ('open', 'escalated')),
  -- What the visitor left when asking for a person.
  email text,
  message text,
  created_at timestamptz not null,
  escalated_at timestamptz,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  unique (bot_id, id),
  check ((status = 'escalated') = (escalated_at is not null))
);
create index on conversations (bot_id, created_at desc, id desc);

create table leads (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  conversation_id text,
  email text not null,
  name text,
  message text,
  created_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, conversation_id) references conversations (bot_id, id)
);
create index on leads (bot_id, created_at desc, id desc);
create index on leads (bot_id, conversation_id) where conversation_id is not null;
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['conversations', 'leads'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
    execute format('grant select, insert, update, delete on %I to instep_app', name);
  end loop;
end $$;
"""

FUNCTIONS = """
-- The one statement that begins a call with a bot key: finds the bot, counts the call, puts the connection
-- into the bot's workspace. With a bot the visitor and the address count, in this order for everybody so that
-- no two calls wait for each other; without one the address alone counts. Hashes are compared, so the time
-- that it takes tells nothing of the key.
create function enter_with_bot_key(
  p_bot uuid, p_key_hash bytea, p_visitor text, p_address text, p_seconds integer)
returns table (
  workspace_id text, is_paused boolean, bot_id uuid, bot_slug text, bot_name text, bot_locale text,
  origins text[], hits integer, seconds_left integer, address_hits integer, address_seconds_left integer
)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with bot as (
    select b.id, b.workspace_id, w.paused_at is not null as is_paused, b.slug, b.name, b.locale, b.origins
    from bots b join workspaces w on w.id = b.workspace_id
    where b.id = p_bot and sha256(convert_to(b.bot_key, 'UTF8')) = p_key_hash
  ), due as (
    select 'anonymous' as policy, p_address as subject where not exists (select from bot)
    union all select 'widget-chat', bot.id || ' ' || p_visitor from bot
    union all select 'widget-address', bot.id || ' ' || p_address from bot
  ), hit as (
    insert into rate_windows as w (policy, subject, started_at, hits)
    select due.policy, due.subject, clock_timestamp(), 1 from due
    on conflict (policy, subject) do update set
      hits = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.hits + 1 else 1 end,
      started_at = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.started_at else excluded.started_at end
    returning w.policy, w.hits, greatest(1, ceil(extract(epoch from
      w.started_at + make_interval(secs => p_seconds) - clock_timestamp())))::integer as seconds_left
  )
  select nullif(set_config('instep.workspace_id', coalesce(bot.workspace_id, ''), false), ''),
    bot.is_paused, bot.id, bot.slug, bot.name, bot.locale, bot.origins,
    hit.hits, hit.seconds_left, wider.hits, wider.seconds_left
  from hit left join hit wider on wider.policy = 'widget-address' left join bot on true
  where hit.policy <> 'widget-address';
end $$;

-- A browser asks before it sends, without saying which bot it is going to name.
create function is_origin_of_a_bot(p_origin text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from bots where origins @> array[p_origin])
$$;

revoke execute on function enter_with_bot_key, is_origin_of_a_bot from public;
grant execute on function enter_with_bot_key, is_origin_of_a_bot to instep_app;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY, FUNCTIONS):
        op.execute(step)
