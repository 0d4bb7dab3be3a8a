-- The version of the product that a code change is for, and drafts that change all versions of an article.

alter table tasks add column version_id text,
  add constraint tasks_version foreign key (bot_id, version_id, workspace_id)
    references product_versions (bot_id, id, workspace_id) on delete set null (version_id);
create index tasks_versions on tasks (version_id) where version_id is not null;
-- An approved draft whose reviewer wants its text in all versions of the article.
alter table drafts add column changes_all_versions boolean not null default false;
