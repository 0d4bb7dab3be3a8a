"""What readers of an article say about it: whether it helped, and if not, why."""

from alembic import op

revision = "0022"
down_revision = "0021"

SCHEMA = """
    create table article_feedback (
      id text primary key,
      workspace_id text not null,
      bot_id uuid not null,
      article_id text not null,
      helpful boolean not null,
      reason text check (reason in ('unclear', 'outdated', 'incomplete', 'wrong')),
      comment text,
      created_at timestamptz not null,
      -- The time of the last word: a reason or a comment may come after the rating.
      given_at timestamptz not null,
      foreign key (workspace_id, bot_id) references bots (workspace_id, id),
      foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade,
      check (reason is null or not helpful)
    );
    create index article_feedback_given on article_feedback (bot_id, given_at);
    create index article_feedback_article on article_feedback (article_id, given_at desc, id desc);
    alter table article_feedback enable row level security;
    create policy tenant on article_feedback to instep_app
      using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
    grant select, insert, update, delete on article_feedback to instep_app;

    create function prune_article_feedback(p_age interval, p_most integer) returns integer
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare v_count integer;
    begin
      delete from article_feedback where id in (
        select f.id from article_feedback f where f.given_at < now() - p_age
        limit p_most for update skip locked);
      get diagnostics v_count = row_count;
      return v_count;
    end $$;
    revoke execute on function prune_article_feedback from public;
    grant execute on function prune_article_feedback to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
