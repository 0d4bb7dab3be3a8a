-- A person's new email address.

-- The person has confirmed the new address by a link, which proves it. False if someone has it already,
-- or if it was changed in the meantime.
create function change_address(p_person text, p_former text, p_email text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from people where email = p_email) then
    return false;
  end if;
  update people set email = p_email, unproved_in = null where id = p_person and email = p_former;
  if not found then
    return false;
  end if;
  -- They end with the rights of the person who made them, by this name.
  update invitations i set invited_by = p_email from memberships m
  where m.person_id = p_person and i.workspace_id = m.workspace_id and i.invited_by = p_former;
  return true;
exception when unique_violation then
  return false;
end $$;
revoke execute on function change_address from public;
grant execute on function change_address to instep_app;
