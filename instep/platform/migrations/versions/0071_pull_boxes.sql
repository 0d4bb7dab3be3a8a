-- Boxes in comments on pull requests, and the members whom people at a code host are.

-- True after the first delivery about a comment: without one, nobody can decide in a comment.
alter table repositories add column hears_comments boolean not null default false;

-- Members by their names at a code host, in lower case, as an owner has stated them.
create table code_host_logins (
  workspace_id text not null,
  code_host_id text not null,
  login text not null check (login = lower(login)),
  person_id text not null,
  primary key (code_host_id, login, workspace_id),
  foreign key (code_host_id, workspace_id) references code_hosts (id, workspace_id) on delete cascade,
  foreign key (workspace_id, person_id) references memberships (workspace_id, person_id) on delete cascade
);
create index on code_host_logins (workspace_id, person_id);
alter table code_host_logins enable row level security;
create policy tenant on code_host_logins to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on code_host_logins to instep_app;
