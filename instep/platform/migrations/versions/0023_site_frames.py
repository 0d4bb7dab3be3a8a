"""What stands around the pages of each help center: a logo, links in header and footer, legal lines."""

from alembic import op

revision = "0023"
down_revision = "0022"

SCHEMA = """
    -- `logo`: an address, or null; `header` and `footer`: lists of {label, url}; `legal`: a text.
    alter table bots add column frame jsonb not null default '{}';
    grant update (frame) on bots to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
