-- Approved edits are committed to the branch of a pull request whose repository contains the docs.

alter table repositories add column docs_folder text;
