"""A person who has signed in through an OpenID provider is known by the account there, not by its address."""

from alembic import op

revision = "0053"
down_revision = "0052"

SCHEMA = """
    -- The accounts of people at OpenID providers. Some providers have another subject for each client.
    create table provider_accounts (
      issuer text not null,
      client_id text not null,
      subject text not null,
      person_id text not null references people on delete cascade,
      primary key (issuer, client_id, subject)
    );
    create index on provider_accounts (person_id);
    alter table provider_accounts enable row level security;
    create policy tenant on provider_accounts to instep_app
      using (exists (select from memberships m where m.person_id = provider_accounts.person_id
        and m.workspace_id = (select nullif(current_setting('instep.workspace_id', true), ''))));
    grant select, insert, delete on provider_accounts to instep_app;

    -- Before sign-in no workspace is known: the address of the person whose account at the provider this is.
    create function find_provider_account(p_issuer text, p_client text, p_subject text) returns text
    language sql stable security definer set search_path = public, pg_temp as $$
      select p.email from provider_accounts a join people p on p.id = a.person_id
      where a.issuer = p_issuer and a.client_id = p_client and a.subject = p_subject
    $$;

    -- Whether the person with the proved address has an account at the provider.
    create function has_provider_account(p_issuer text, p_client text, p_email text) returns boolean
    language sql stable security definer set search_path = public, pg_temp as $$
      select exists (
        select from provider_accounts a join people p on p.id = a.person_id
        where p.email = p_email and p.unproved_in is null and a.issuer = p_issuer and a.client_id = p_client)
    $$;

    do $$ declare name text; begin
      foreach name in array array['find_provider_account', 'has_provider_account'] loop
        execute format('revoke execute on function %I from public', name);
        execute format('grant execute on function %I to instep_app', name);
      end loop;
    end $$;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
