"""An account that an invitation made is valid in that workspace alone, until its address is proved."""

from alembic import op

revision = "0046"
down_revision = "0045"

SCHEMA = """
    -- Null: the person has proved the address, or an operator vouches for it. Otherwise the account was made
    -- with the link of an invitation, which the inviting owner has seen too: it is valid in this workspace.
    alter table people add column unproved_in text references workspaces;
    alter table people drop constraint people_email_key;
    create unique index people_proved on people (email) where unproved_in is null;
    create unique index people_unproved on people (email, unproved_in) where unproved_in is not null;
    grant select (unproved_in) on people to instep_app;

    -- Who has accepted an invitation and is a member nowhere else was made by it. Members of several
    -- workspaces would lose all but one, and what the audit has forgotten was in use for a year: both stay.
    update people p set unproved_in = m.workspace_id
    from memberships m
    where m.person_id = p.id
      and not exists (
        select from memberships o where o.person_id = p.id and o.workspace_id <> m.workspace_id)
      and exists (
        select from audit_entries e
        where e.workspace_id = m.workspace_id and e.action = 'accept_invitation' and e.actor_id = p.id)
      and not exists (
        select from audit_entries e
        where e.workspace_id = m.workspace_id and e.action in ('create_user', 'change_password')
          and e.resource = p.id and (e.action = 'create_user' or e.actor_type = 'command'));

    drop function find_for_sign_in(text);
    drop function accept_invitation(bytea, text, text);
"""
FUNCTIONS = """
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

    -- The person of an address proves it, so the accounts end that others may have made with it. Where there
    -- is a single workspace the person goes on with the account, without what was set up for it. Otherwise
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

    drop function find_invitation(bytea);
    create function find_invitation(p_token_hash bytea)
    returns table (id text, workspace_id text, workspace_name text, email text, role text)
    language sql stable security definer set search_path = public, pg_temp as $$
      select i.id, i.workspace_id, w.name, i.email, i.role
      from invitations i join workspaces w on w.id = i.workspace_id
      where i.token_hash = p_token_hash and i.expires_at > now()
    $$;

    do $$ declare name text; begin
      foreach name in array array['find_for_sign_in', 'prove_address', 'accept_invitation', 'find_invitation']
      loop
        execute format('revoke execute on function %I from public', name);
        execute format('grant execute on function %I to instep_app', name);
      end loop;
      revoke execute on function end_ways_in from public;
    end $$;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
    op.execute(FUNCTIONS)
