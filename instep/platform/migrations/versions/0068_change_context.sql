-- The context of a task's change: linked issues, the code around its hunks, the next version.

alter table tasks add column context jsonb check (context is null or article is null);
