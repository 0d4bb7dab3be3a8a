-- Conversations with visitors, their messages and leads, and how a call of the visitor API begins.

create table conversations (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- Salted with the bot: identifies a visitor's conversations within one bot, but not across bots.
  visitor_hash bytea not null,
  locale text not null,
  page_url text,
  status text not null check (status in ('open', 'escalated')),
  -- The fields that the visitor entered when asking for a person.
  email text,
  message text,
  created_at timestamptz not null,
  escalated_at timestamptz,
  -- When someone marked it as done, and who; null: nobody has.
  done_at timestamptz,
  done_by_name text,
  primary key (id, workspace_id),
  constraint conversations_bot_id_id_key unique (bot_id, id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  check ((status = 'escalated') = (escalated_at is not null))
);
create index on conversations (bot_id, created_at desc, id desc);
create index on conversations (bot_id, escalated_at desc) where status = 'escalated' and message is not null;
-- The list of conversations: those that wait for a person first.
create index conversations_list
  on conversations (bot_id, (status = 'escalated' and done_at is null) desc, created_at desc, id desc);

-- One row per question with its answer.
create table messages (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  conversation_id text not null,
  question text not null,
  answer text not null,
  answered boolean not null,
  -- From 0 to 1.
  confidence float8 not null,
  -- In the order of the citations' numbers: article_id, heading, anchor.
  sources jsonb not null,
  -- The model that wrote the answer; null: the answer quotes the articles' sentences.
  model text,
  -- The visitor's rating; null: not rated.
  helpful boolean,
  comment text,
  judged_at timestamptz,
  created_at timestamptz not null,
  -- A hash of the visitor and of the id that the caller gave the question; null: it has none.
  question_key bytea,
  -- The sources as they were sent, kept for a question that has an id.
  sent_sources jsonb,
  -- Whether an answer that declines quotes a section that may help.
  may_help boolean not null default false,
  -- The language of the articles, if the answer is in another one.
  translated_from text,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint messages_bot_id_conversation_id_fkey
    foreign key (bot_id, conversation_id, workspace_id)
      references conversations (bot_id, id, workspace_id) on delete cascade,
  check ((helpful is null) = (judged_at is null))
);
create index on messages (bot_id, conversation_id, created_at desc, id desc);
create index on messages (bot_id, judged_at) where helpful is not null;
create unique index messages_question_key on messages (workspace_id, bot_id, question_key)
  where question_key is not null;

create table leads (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  conversation_id text,
  email text not null,
  name text,
  message text,
  created_at timestamptz not null,
  -- When someone marked it as done, and who; null: it waits for an answer.
  done_at timestamptz,
  done_by_name text,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  constraint leads_bot_id_conversation_id_fkey
    foreign key (bot_id, conversation_id, workspace_id) references conversations (bot_id, id, workspace_id)
);
create index on leads (bot_id, created_at desc, id desc);
create index on leads (bot_id, conversation_id) where conversation_id is not null;
create index leads_open on leads (bot_id, created_at desc, id desc) where done_at is null;

-- Signs the visitor tokens that prove who is signed in on the bot's pages. It is encrypted, because anyone
-- who can read it can sign in as any visitor.
create table visitor_secrets (
  bot_id uuid not null,
  workspace_id text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (bot_id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);

-- Origins that asked and were refused, which the widget's settings show.
create table refused_origins (
  workspace_id text not null,
  bot_id uuid not null,
  origin text not null,
  refused_at timestamptz not null,
  primary key (workspace_id, bot_id, origin),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);

-- The one statement that begins a call with a bot key: it finds the bot, counts the call and puts the
-- connection into the bot's workspace. With a bot it counts visitor and address, always in this order, so
-- that two calls can't deadlock; without one it counts the address. It compares hashes, so that its duration
-- reveals nothing about the key.
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
  select nullif(set_config('instep.workspace_id', coalesce(bot.workspace_id, ''), true), ''),
    bot.is_paused, bot.id, bot.slug, bot.name, bot.locale, bot.origins,
    hit.hits, hit.seconds_left, wider.hits, wider.seconds_left
  from hit left join hit wider on wider.policy = 'widget-address' left join bot on true
  where hit.policy <> 'widget-address';
end $$;

-- A CORS preflight names an origin but no bot.
create function is_origin_of_a_bot(p_origin text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from bots where origins @> array[p_origin])
$$;

-- Forgets how often a visitor of a workspace has called. The table holds no workspace, so only functions
-- with the owner's rights read it.
create function erase_visitor_windows(p_workspace text, p_visitor text) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with erased as (
    delete from rate_windows where policy = 'widget-chat' and subject in (
      select b.id || ' ' || p_visitor from bots b where b.workspace_id = p_workspace)
    returning 1)
  select count(*)::integer from erased
$$;

-- There is no index on the times: an hourly pass reads less than every insert would pay for one.
create function prune_leads(p_age interval, p_most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_count integer;
begin
  delete from leads where id in (
    select l.id from leads l where l.created_at < now() - p_age limit p_most for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Deletes conversations of this age; those with a person have an age of their own, and a conversation that a
-- lead came from stays until the lead is deleted.
create function prune_conversations(p_age interval, p_escalated_age interval, p_most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_count integer;
begin
  delete from conversations where id in (
    select c.id from conversations c
    cross join lateral (
      select now() - case c.status when 'escalated' then p_escalated_age else p_age end as before) r
    where greatest(c.created_at, c.escalated_at) < r.before
      and not exists (select from leads l where l.bot_id = c.bot_id and l.conversation_id = c.id)
      and not exists (select from messages m where m.bot_id = c.bot_id and m.conversation_id = c.id
        and m.created_at >= r.before)
    limit p_most for update of c skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;
