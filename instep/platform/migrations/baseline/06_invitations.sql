-- Invitations of people by link, and one-time links: the first person of an installation enters by one, and
-- others sign in.

create table invitations (
  id text not null,
  workspace_id text not null references workspaces,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  -- The name of the actor who made it.
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (id, workspace_id)
);
create index on invitations (workspace_id, created_at);

-- A link signs its person in; without a person it sets the installation up, while nobody exists.
create table setup_links (
  token_hash bytea primary key,
  workspace_id text not null references workspaces,
  person_id text,
  expires_at timestamptz not null,
  foreign key (workspace_id, person_id) references memberships on delete cascade
);

create function find_invitation(p_token_hash bytea)
returns table (id text, workspace_id text, workspace_name text, email text, role text)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.id, i.workspace_id, w.name, i.email, i.role
  from invitations i join workspaces w on w.id = i.workspace_id
  where i.token_hash = p_token_hash and i.expires_at > now()
$$;

-- Ends everything by which the person can be signed in or acted for, but for the password.
create function end_ways_in(p_person text) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from sessions where person_id = p_person;
  -- This waits for a passkey that is being added, which takes a challenge first.
  delete from challenges where person_id = p_person;
  delete from passkeys where person_id = p_person;
  delete from totp_secrets where person_id = p_person;
  delete from recovery_codes where person_id = p_person;
  update oauth_grants set revoked_at = now() where person_id = p_person and revoked_at is null;
$$;

-- The person of an address proves it, so the accounts end that others may have made with it. If there is a
-- single workspace the person goes on with the account, without what was set up for it. Otherwise
-- the memberships end too, and become invitations; a token is the hash of secret and workspace.
create function prove_address(p_email text, p_secret text, p_ttl interval)
returns table (workspace_name text, token text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_person text; v_row record;
begin
  if (select count(*) from workspaces) = 1
    and not exists (select from people where email = p_email and unproved_in is null)
  then
    update people set unproved_in = null, password_hash = null where email = p_email
    returning id into v_person;
    perform end_ways_in(v_person);
    return;
  end if;
  for v_row in
    delete from people p using memberships m, workspaces w
    where p.email = p_email and p.unproved_in is not null and m.person_id = p.id and w.id = m.workspace_id
    returning w.id, w.name, m.role, m.disabled_at
  loop
    continue when v_row.disabled_at is not null;
    workspace_name := v_row.name;
    token := encode(sha256(convert_to(p_secret || v_row.id, 'UTF8')), 'hex');
    insert into invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
    values ('inv_' || left(replace(gen_random_uuid()::text, '-', ''), 26), v_row.id, p_email, v_row.role,
      sha256(convert_to(token, 'UTF8')), p_email, now() + p_ttl);
    return next;
  end loop;
end $$;

-- Uses up all invitations of the address to the workspace; the id of the person who is a member now, or
-- null if the invitation can't be used. With a password it makes or renews the account of the address
-- that is valid in this workspace alone; with a proof of the address, or by a person who is signed in,
-- that person joins. `p_person` is the id of a new account. Members who may enter keep their role.
create function accept_invitation(
  p_token_hash bytea, p_person text, p_password_hash text, p_has_proof boolean)
returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_invitation invitations; v_person text;
begin
  select * into v_invitation from invitations where token_hash = p_token_hash and expires_at > now();
  if not found then
    return null;
  end if;
  -- A change of a role locks the membership before the invitations: in another order both would
  -- wait for each other, as would two who accept at once.
  perform from memberships m join people p on p.id = m.person_id
  where m.workspace_id = v_invitation.workspace_id and p.email = v_invitation.email
  order by m.person_id for update of m;
  perform from invitations i
  where i.workspace_id = v_invitation.workspace_id and i.email = v_invitation.email
  order by i.id for update;
  delete from invitations where id = v_invitation.id;
  if not found then
    return null;
  end if;
  delete from invitations i
  where i.workspace_id = v_invitation.workspace_id and i.email = v_invitation.email;
  if p_password_hash is not null then
    if exists (select from memberships m join people p on p.id = m.person_id
      where m.workspace_id = v_invitation.workspace_id and p.email = v_invitation.email
        and m.disabled_at is null)
    then
      return null;
    end if;
    -- A proved account that was kept out stays out: another one with its address takes its place here.
    delete from memberships m using people p
    where p.id = m.person_id and m.workspace_id = v_invitation.workspace_id
      and p.email = v_invitation.email and p.unproved_in is null;
    insert into people as p (id, email, password_hash, unproved_in)
    values (p_person, v_invitation.email, p_password_hash, v_invitation.workspace_id)
    on conflict (email, unproved_in) where unproved_in is not null do update
      set password_hash = excluded.password_hash
    returning p.id into v_person;
    perform end_ways_in(v_person);
  elsif p_has_proof then
    insert into people as p (id, email) values (p_person, v_invitation.email)
    on conflict (email) where unproved_in is null do update set email = excluded.email
    returning p.id into v_person;
  else
    select id into v_person from people
    where id = p_person and email = v_invitation.email
      and (unproved_in is null or unproved_in = v_invitation.workspace_id);
  end if;
  if v_person is null then
    return null;
  end if;
  delete from people
  where email = v_invitation.email and unproved_in = v_invitation.workspace_id and id <> v_person;
  insert into memberships as m (workspace_id, person_id, role)
  values (v_invitation.workspace_id, v_person, v_invitation.role)
  on conflict (workspace_id, person_id) do update
    set role = case when m.disabled_at is null then m.role else excluded.role end,
      disabled_at = null, used_at = now();
  return v_person;
end $$;

create function find_setup_link(p_token_hash bytea)
returns table (workspace_id text, workspace_name text, person_id text)
language sql stable security definer set search_path = public, pg_temp as $$
  select l.workspace_id, w.name, l.person_id
  from setup_links l join workspaces w on w.id = l.workspace_id
  where l.token_hash = p_token_hash and l.expires_at > now()
    and (l.person_id is not null or not exists (select from people))
$$;

-- Uses up a link of a person; their account, or no row if the link can't be used.
create function use_sign_in_link(p_token_hash bytea)
returns table (id text, workspace_id text, email text, role text, password_hash text)
language sql security definer set search_path = public, pg_temp as $$
  with link as (
    delete from setup_links l
    where l.token_hash = p_token_hash and l.expires_at > now() and l.person_id is not null returning *
  )
  select p.id, m.workspace_id, p.email, m.role, p.password_hash
  from link
  join people p on p.id = link.person_id
  join memberships m on m.workspace_id = link.workspace_id and m.person_id = link.person_id
  where m.disabled_at is null
$$;

-- Makes the first person, the owner of the link's workspace, and gives that its name; false if there is
-- someone already, or if the link can't be used. Two at once wait for each other.
create function set_up(p_token_hash bytea, p_person text, p_email text, p_password_hash text, p_name text)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_workspace text;
begin
  lock table people in share row exclusive mode;
  delete from setup_links l
  where l.token_hash = p_token_hash and l.expires_at > now() and l.person_id is null
    and not exists (select from people)
  returning l.workspace_id into v_workspace;
  if not found then
    return false;
  end if;
  update workspaces set name = p_name where id = v_workspace;
  insert into people (id, email, password_hash) values (p_person, p_email, p_password_hash);
  insert into memberships (workspace_id, person_id, role) values (v_workspace, p_person, 'owner');
  return true;
end $$;

create function prune_links() returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from invitations where expires_at < now();
  delete from setup_links where expires_at < now();
  delete from challenges where expires_at < now();
$$;
