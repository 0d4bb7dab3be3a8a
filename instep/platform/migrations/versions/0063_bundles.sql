-- The bundle of changes that a task belongs to: the review queue shows their drafts together.

alter table tasks add column bundle text check (bundle is null or article is null);
create index tasks_bundle on tasks (bot_id, bundle) where bundle is not null;
