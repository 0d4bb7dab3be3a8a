-- Use of the language model, per bot and day.

create table model_use (
  workspace_id text not null,
  bot_id uuid not null,
  day date not null,
  -- The provider's count for completed prompts; the reserved estimate for running and interrupted ones.
  tokens bigint not null check (tokens >= 0),
  primary key (bot_id, day),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
