-- Signing in: second factors, accounts at OpenID providers, and what a browser still has to answer.

create table totp_secrets (
  person_id text primary key references people on delete cascade,
  sealed bytea not null,
  -- null: the person has not shown a code of it yet, and it does not count.
  confirmed_at timestamptz,
  -- The time step (RFC 6238) of the last code: it and earlier ones are not accepted again.
  last_step bigint not null default 0
);

create table recovery_codes (
  person_id text not null references people on delete cascade,
  code_hash bytea not null,
  primary key (person_id, code_hash)
);

create table passkeys (
  -- The credential id (WebAuthn), in base64url.
  id text primary key,
  person_id text not null references people on delete cascade,
  name text not null,
  public_key bytea not null,
  sign_count bigint not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index on passkeys (person_id);

-- Questions that a browser has to answer once: it holds the token, and the row holds what was asked.
create table challenges (
  token_hash bytea primary key,
  purpose text not null,
  person_id text references people on delete cascade,
  data jsonb not null,
  expires_at timestamptz not null
);

-- The accounts of people at OpenID providers. Some providers have another subject for each client.
create table provider_accounts (
  issuer text not null,
  client_id text not null,
  subject text not null,
  person_id text not null references people on delete cascade,
  primary key (issuer, client_id, subject)
);
create index on provider_accounts (person_id);

-- The accounts of an address, or the account of a person, each in the workspace that it used last. An
-- address may have a proved account, which is the first one, and an unproved one in each workspace.
create function find_for_sign_in(p_email text, p_person text)
returns table (id text, workspace_id text, email text, role text, password_hash text,
  has_second_factor boolean, is_proved boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, latest.workspace_id, p.email, latest.role, p.password_hash,
    exists (select from totp_secrets t where t.person_id = p.id and t.confirmed_at is not null)
    or exists (select from passkeys k where k.person_id = p.id),
    p.unproved_in is null
  from people p cross join lateral (
    select m.workspace_id, m.role, m.used_at from memberships m
    where m.person_id = p.id and m.disabled_at is null
    order by m.used_at desc, m.workspace_id limit 1) latest
  where p.email = p_email or p.id = p_person
  order by p.unproved_in is not null, latest.used_at desc, p.id limit 100
$$;

-- The account that a passkey opens; before sign-in no workspace is known.
create function find_passkey(p_id text)
returns table (person_id text, email text, public_key bytea, sign_count bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.person_id, p.email, k.public_key, k.sign_count
  from passkeys k join people p on p.id = k.person_id where k.id = p_id
$$;

create function put_challenge(p_token_hash bytea, p_purpose text, p_person text, p_data jsonb, p_ttl interval)
returns void language sql security definer set search_path = public, pg_temp as $$
  insert into challenges (token_hash, purpose, person_id, data, expires_at)
  values (p_token_hash, p_purpose, p_person, p_data, now() + p_ttl)
$$;

create function find_challenge(p_token_hash bytea, p_purpose text)
returns table (person_id text, data jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.person_id, c.data from challenges c
  where c.token_hash = p_token_hash and c.purpose = p_purpose and c.expires_at > now()
$$;

create function take_challenge(p_token_hash bytea, p_purpose text)
returns table (person_id text, data jsonb)
language sql security definer set search_path = public, pg_temp as $$
  delete from challenges c
  where c.token_hash = p_token_hash and c.purpose = p_purpose and c.expires_at > now()
  returning c.person_id, c.data
$$;

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

-- Makes a person without a password, a member of the only workspace; null if there are several workspaces,
-- or if someone has the address already.
create function create_person_of_provider(p_person text, p_email text, p_role text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_workspace text;
begin
  if (select count(*) from workspaces) <> 1 then
    return null;
  end if;
  select id into v_workspace from workspaces;
  insert into people (id, email) values (p_person, p_email) on conflict do nothing;
  if not found then
    return null;
  end if;
  insert into memberships (workspace_id, person_id, role) values (v_workspace, p_person, p_role);
  return v_workspace;
end $$;
