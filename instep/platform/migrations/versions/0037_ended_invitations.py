"""An invitation ends with the one that is accepted, and changes no role of who is a member already."""

from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.execute(
        """
        -- Uses up all invitations of the address to the workspace; the id of the person who is a member now,
        -- or null if the invitation can't be used. With a password a new person is made of `p_person`, which
        -- is an id that nobody has; otherwise that person joins. Members who may enter keep their role.
        create or replace function accept_invitation(p_token_hash bytea, p_person text, p_password_hash text)
        returns text
        language plpgsql security definer set search_path = public, pg_temp as $$
        declare v_invitation invitations;
        begin
          select * into v_invitation from invitations where token_hash = p_token_hash and expires_at > now();
          if not found then
            return null;
          end if;
          -- A change of a role locks the membership before the invitations: in another order both would
          -- wait for each other, as would two who accept at once.
          perform from memberships m join people p on p.id = m.person_id
          where m.workspace_id = v_invitation.workspace_id and p.email = v_invitation.email for update of m;
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
            insert into people (id, email, password_hash)
            values (p_person, v_invitation.email, p_password_hash)
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
            set role = case when m.disabled_at is null then m.role else excluded.role end,
              disabled_at = null, used_at = now();
          return p_person;
        end $$;

        -- Links that a newer one has replaced, and those of members, but for the ones that were made after
        -- the person was disabled.
        delete from invitations i using invitations newer
        where newer.workspace_id = i.workspace_id and newer.email = i.email
          and (newer.created_at, newer.id) > (i.created_at, i.id);
        delete from invitations i using memberships m, people p
        where p.id = m.person_id and m.workspace_id = i.workspace_id and p.email = i.email
          and (m.disabled_at is null or i.created_at < m.disabled_at);
        """
    )
