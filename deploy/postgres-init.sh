#!/bin/sh
# Runs once, when the volume of the database is empty: a role that owns one database and is no superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/database_password)" --username=postgres <<'SQL'
create role instep login createrole password :'password';
create database instep owner instep encoding 'UTF8' template template0;
SQL
