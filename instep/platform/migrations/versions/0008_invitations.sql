-- Invitations of people by link, and the one-time link by which the first person of an installation enters.

create table invitations (
  id text primary key,
  workspace_id text not null references workspaces,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  -- The name of the actor who made it.
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on invitations (workspace_id, created_at);

-- A link signs its person in; without a person it sets the installation up, while nobody exists.
create table setup_links (
  token_hash bytea primary key,
  workspace_id text not null references workspaces,
  person_id text,
  expires_at timestamptz not null,
  foreign key (workspace_id, person_id) references memberships (workspace_id, person_id) on delete cascade
);

create function find_invitation(p_token_hash bytea)
returns table (id text, workspace_id text, workspace_name text, email text, role text, is_known boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select i.id, i.workspace_id, w.name, i.email, i.role, exists (select from people p where p.email = i.email)
  from invitations i join workspaces w on w.id = i.workspace_id
  where i.token_hash = p_token_hash and i.expires_at > now()
$$;

-- Uses an invitation up; the id of the person who is a member now, or null if it can't be used. With a
-- password a new person is made of `p_person`, which is an id that nobody has; otherwise that person joins.
create function accept_invitation(p_token_hash bytea, p_person text, p_password_hash text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_invitation invitations;
begin
  delete from invitations where token_hash = p_token_hash and expires_at > now() returning * into v_invitation;
  if not found then
    return null;
  end if;
  if p_password_hash is not null then
    insert into people (id, email, password_hash) values (p_person, v_invitation.email, p_password_hash)
    on conflict do nothing;
  else
    perform from people where id = p_person and email = v_invitation.email;
  end if;
  if not found then
    return null;
  end if;
  insert into memberships as m (workspace_id, person_id, role)
  values (v_invitation.workspace_id, p_person, v_invitation.role)
  on conflict (workspace_id, person_id) do update
    set role = excluded.role, disabled_at = null, used_at = now();
  return p_person;
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
-- somebody already, or if the link can't be used. Two at once wait for each other.
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
$$;

do $$ declare name text; begin
  foreach name in array array['invitations', 'setup_links'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
  foreach name in array array[
    'find_invitation', 'accept_invitation', 'find_setup_link', 'use_sign_in_link', 'set_up', 'prune_links'] loop
    execute format('revoke execute on function %I from public', name);
    execute format('grant execute on function %I to instep_app', name);
  end loop;
end $$;
-- The hashes of links are not readable.
grant select (id, workspace_id, email, role, invited_by, created_at, expires_at), insert, delete
  on invitations to instep_app;
grant select (workspace_id, person_id, expires_at) on setup_links to instep_app;
-- What owners do on their pages: help centers and keys. The hashes of keys stay unreadable.
grant insert on bots, api_keys to instep_app;
grant select (name, last_four, scope, created_at, last_used_at), update (revoked_at) on api_keys to instep_app;
