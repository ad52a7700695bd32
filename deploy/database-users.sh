#!/bin/sh
# Makes a user for the service and one for Temporal, each with databases of its own and without rights on those of the
# other: neither needs to be a superuser. Safe to run again.
#
# Takes PGHOST, PGUSER and PGPASSWORD of the superuser, and OWNERS: lines of database, user, password.
set -eu

: "${OWNERS:?must be lines of database, user and password}"

echo "$OWNERS" | while read -r database user password; do
  [ -n "$database" ] || continue
  found=$(psql --dbname postgres --tuples-only --no-align --command "select 1 from pg_database where datname = '$database'")
  [ -n "$found" ] || psql --quiet --dbname postgres --command "create database \"$database\""
  PGOPTIONS="-c setup.owner=$user -c setup.password=$password" \
    psql --quiet --set ON_ERROR_STOP=1 --dbname "$database" --file "$(dirname "$0")/database-users.sql"
  echo "database-users: $database belongs to $user"
done
