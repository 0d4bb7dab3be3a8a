-- The text that the last import of a part wrote, to recognize parts that people have changed since.

alter table parts add column imported_text text;
