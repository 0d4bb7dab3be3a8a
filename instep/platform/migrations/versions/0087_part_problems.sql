-- The reason for which an article still shows the text from before a change of its parts.

alter table articles add column part_problem text, add column part_problem_at timestamptz;
