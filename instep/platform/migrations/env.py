"""Alembic's entry point: runs every step in one transaction on the connection that `migrate` holds."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=True)
with context.begin_transaction():
    context.execute("set local lock_timeout = '5s'")
    context.run_migrations()
