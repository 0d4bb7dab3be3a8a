"""What visitors asked and were answered, their judgement of it, and the secrets that visitor tokens prove."""

from alembic import op

revision = "0017"
down_revision = "0016"

TABLES = """
-- One row a question with its answer. The words are the visitor's and the articles': nobody else sees them.
create table messages (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  conversation_id text not null,
  question text not null,
  answer text not null,
  answered boolean not null,
  confidence float8 not null,
  -- In the order of their numbers: article_id, heading, anchor.
  sources jsonb not null,
  -- The model that wrote the answer; null: it is made of the articles' own sentences.
  model text,
  -- What the visitor thought of the answer; null: nothing was said.
  helpful boolean,
  comment text,
  judged_at timestamptz,
  created_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, conversation_id) references conversations (bot_id, id) on delete cascade,
  check ((helpful is null) = (judged_at is null))
);
create index on messages (bot_id, conversation_id, created_at desc, id desc);

-- Who signs with it says who is signed in on the bot's pages; sealed, for whoever reads it could say so too.
create table visitor_secrets (
  bot_id uuid primary key,
  workspace_id text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['messages', 'visitor_secrets'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update, delete on messages to instep_app;
grant select on visitor_secrets to instep_app;
"""

# No index on the time: a pass once an hour over what is left reads less than every insert would pay for.
PRUNE = """
-- Forgets what was asked so long ago, except where a visitor left contact details or waits for a person.
create function prune_conversations(p_age interval, p_most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_count integer;
begin
  delete from conversations where id in (
    select c.id from conversations c
    where c.created_at < now() - p_age and c.status = 'open'
      and not exists (select from leads l where l.bot_id = c.bot_id and l.conversation_id = c.id)
      and not exists (select from messages m where m.bot_id = c.bot_id and m.conversation_id = c.id
        and m.created_at >= now() - p_age)
    limit p_most for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;
revoke execute on function prune_conversations from public;
grant execute on function prune_conversations to instep_app;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY, PRUNE):
        op.execute(step)
