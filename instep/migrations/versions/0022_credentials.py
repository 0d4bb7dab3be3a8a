"""A credential is looked at again after a large body has come in, so its end must be visible to requests."""

from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.execute("grant select (expires_at, revoked_at) on api_keys to instep_app")
