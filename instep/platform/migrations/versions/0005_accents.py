"""An accent colour of each bot."""

from alembic import op

revision = "0005"
down_revision = "0004"

SCHEMA = """
    -- The colour as it was chosen, and the readable colours that were made of it for each colour scheme, as
    -- `#rrggbb`; null: the product's blue.
    alter table bots add column accent text;
    alter table bots add column accent_light text check (accent_light ~ '^#[0-9a-f]{6}$');
    alter table bots add column accent_dark text check (accent_dark ~ '^#[0-9a-f]{6}$');
    alter table bots add constraint bots_accent_is_complete
        check (num_nulls(accent, accent_light, accent_dark) in (0, 3));
"""


def upgrade() -> None:
    op.execute(SCHEMA)
