"""One transaction may change thousands of articles, as a first sync does, in linear time.

A transaction gets one change stamp for a bot: each stamp is a new version of the bot's row, and foreign keys
walk the versions that their transaction has made. And an index that begins with the bot and the workspace is
taken to read one article where PostgreSQL has no statistics yet; it reads all of the bot.
"""

from alembic import op

revision = "0039"
down_revision = "0038"

# The setting ends with the transaction, and a savepoint that is rolled back takes its stamp along.
STAMP_CHANGE = """
create or replace function stamp_change(p_bot uuid) returns timestamptz language plpgsql as $$
declare
  last_stamp constant text := coalesce(current_setting('instep.change_stamp', true), '');
  stamp timestamptz;
begin
  if starts_with(last_stamp, p_bot::text) then
    return substr(last_stamp, 38)::timestamptz;
  end if;
  update bots set changed_at = greatest(clock_timestamp(), changed_at + interval '1 microsecond')
  where id = p_bot returning changed_at into stamp;
  perform set_config('instep.change_stamp', p_bot || ' ' || stamp, true);
  return stamp;
end $$
"""
COUNTED = """
drop index articles_counted;
create index articles_counted on articles (bot_id, collection_id, locale, translation_of)
include (workspace_id) where deleted_at is null
"""


def upgrade() -> None:
    op.execute(STAMP_CHANGE)
    op.execute(COUNTED)
