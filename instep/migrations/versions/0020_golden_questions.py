"""Questions that a help center must be able to answer; gaps that got a draft; names that changes removed."""

from alembic import op

revision = "0020"
down_revision = "0019"

TABLES = """
create table golden_questions (
  id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  question text not null,
  locale text not null,
  -- The article that must answer it; null once that is removed for good: then nothing answers it any more.
  article_id text,
  created_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete set null (article_id)
);
create unique index golden_questions_once on golden_questions (bot_id, article_id, lower(question));
create index on golden_questions (bot_id, created_at, id);

-- Names that a code change removed while an article says them; what the article said may have changed since.
create table gone_names (
  workspace_id text not null,
  bot_id uuid not null,
  article_id text not null,
  name text not null,
  change_title text not null,
  gone_at timestamptz not null,
  primary key (bot_id, article_id, name),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade
);

-- When a draft was built from the question: never a second one, whatever became of the first.
alter table unanswered_questions add column drafted_at timestamptz;
update unanswered_questions set drafted_at = last_asked_at where draft_id is not null;

create index on messages (bot_id, judged_at) where helpful is not null;
create index on conversations (bot_id, escalated_at desc) where status = 'escalated' and message is not null;
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['golden_questions', 'gone_names'] loop
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
