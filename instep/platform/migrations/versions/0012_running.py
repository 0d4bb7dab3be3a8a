"""What the dashboard needs of questions and conversations: merging, listing, and erasing a visitor's data."""

from alembic import op

revision = "0012"
down_revision = "0011"

SCHEMA = """
    -- The question that this one was merged into, never one that is merged itself: it goes on to be found by
    -- its words, so that it is counted there when it is asked again, and is listed nowhere.
    alter table unanswered_questions add column merged_into text;
    alter table unanswered_questions add constraint unanswered_questions_merged
        foreign key (bot_id, merged_into) references unanswered_questions (bot_id, id) on delete cascade;
    create index unanswered_questions_merged on unanswered_questions (bot_id, merged_into)
        where merged_into is not null;
    -- The list of conversations: those that wait for a person first.
    create index conversations_list
        on conversations (bot_id, (status = 'escalated') desc, created_at desc, id desc);
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
    revoke execute on function erase_visitor_windows from public;
    grant execute on function erase_visitor_windows to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
