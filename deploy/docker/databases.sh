#!/bin/bash
# Runs once, when PostgreSQL's folder is empty: for each service a database of its own, and a role that owns it and
# may go nowhere else.
set -euo pipefail

for service in auth catalog chat media billing; do
  password="${service^^}_DB_PASSWORD"
  psql --set ON_ERROR_STOP=1 --set role="$service" --set password="${!password}" --username "$POSTGRES_USER" <<'SQL'
create role :"role" login password :'password';
create database :"role" owner :"role";
revoke all on database :"role" from public;
SQL
done
