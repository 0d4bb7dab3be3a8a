-- Second factors of people: codes of an app, recovery codes, passkeys, and what a sign-in still has to show.

create table totp_secrets (
  person_id text primary key references people on delete cascade,
  sealed bytea not null,
  -- Null: the person has not shown a code of it yet, and it does not count.
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

-- What a browser has to answer: it holds the token, the row what was asked. Each is for one use.
create table challenges (
  token_hash bytea primary key,
  purpose text not null,
  person_id text references people on delete cascade,
  data jsonb not null,
  expires_at timestamptz not null
);

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

create or replace function prune_links() returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from invitations where expires_at < now();
  delete from setup_links where expires_at < now();
  delete from challenges where expires_at < now();
$$;

drop function find_for_sign_in(text);
create function find_for_sign_in(p_email text)
returns table (id text, workspace_id text, email text, role text, password_hash text,
  has_second_factor boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, latest.workspace_id, p.email, latest.role, p.password_hash,
    exists (select from totp_secrets t where t.person_id = p.id and t.confirmed_at is not null)
    or exists (select from passkeys k where k.person_id = p.id)
  from people p cross join lateral (
    select m.workspace_id, m.role from memberships m
    where m.person_id = p.id and m.disabled_at is null
    order by m.used_at desc, m.workspace_id limit 1) latest
  where p.email = p_email
$$;

-- The account that a passkey opens; before sign-in no workspace is known.
create function find_passkey(p_id text)
returns table (person_id text, email text, public_key bytea, sign_count bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.person_id, p.email, k.public_key, k.sign_count
  from passkeys k join people p on p.id = k.person_id where k.id = p_id
$$;

do $$ declare name text; begin
  foreach name in array array['totp_secrets', 'recovery_codes', 'passkeys'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (exists (select from memberships m where m.person_id = %I.person_id and m.workspace_id =
        (select nullif(current_setting(''instep.workspace_id'', true), ''''))))', name, name);
  end loop;
  foreach name in array array[
    'put_challenge', 'find_challenge', 'take_challenge', 'find_for_sign_in', 'find_passkey'] loop
    execute format('revoke execute on function %I from public', name);
    execute format('grant execute on function %I to instep_app', name);
  end loop;
end $$;
grant select, insert, update, delete on totp_secrets, passkeys to instep_app;
grant select, insert, delete on recovery_codes to instep_app;
