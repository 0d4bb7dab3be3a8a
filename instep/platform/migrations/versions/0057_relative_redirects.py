"""Redirects to the help center itself are stored without its host, which may change."""

from alembic import op

revision = "0057"
down_revision = "0056"

SCHEMA = """
    update redirects r
    set url = regexp_replace(substr(r.url, length(own.home) + 1), '^(?!/)', '/')
    from (
        select b.id as bot_id, unnest(array[
            'http://' || b.domain, 'https://' || b.domain,
            nullif(current_setting('instep.site_url', true), '') || '/help/' || b.slug
        ]) as home
        from bots b
    ) own
    where own.bot_id = r.bot_id and starts_with(r.url, own.home)
      and left(substr(r.url, length(own.home) + 1), 1) in ('', '/', '?', '#')
"""


def upgrade() -> None:
    op.execute(SCHEMA)
