"""An app that sends a refresh token twice in a short time gets the same answer both times."""

from alembic import op

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.execute(
        """
        -- The answer to a used refresh token, sealed with the token itself, which is not stored.
        alter table oauth_tokens add column answer bytea;

        create or replace function prune_oauth(p_apps_kept interval, p_kept interval) returns void
        language sql security definer set search_path = public, pg_temp as $$
          delete from oauth_clients c where c.used_at < now() - p_apps_kept;
          delete from oauth_grants where expires_at < now() - p_kept or revoked_at < now() - p_kept;
          delete from oauth_tokens where expires_at < now() - p_kept;
          update oauth_tokens set answer = null
          where answer is not null and used_at < now() - interval '1 minute';
        $$;
        """
    )
