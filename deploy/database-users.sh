#!/bin/sh
# Makes an owner for each database, without rights on the others; none is a superuser. A database may have a second user, who
# reads and writes the rows of its tables and changes nothing else. Safe to run again.
#
# Takes PGHOST, PGUSER and PGPASSWORD of the superuser, and OWNERS: lines of database, owner, password, and if wanted a
# user and that user's password, with one blank between them. A variable that is not set leaves two blanks, or one at the end.
set -eu

: "${OWNERS:?must be lines of database, owner, password, and if wanted user and password}"

# Checks all lines before the first change.
echo "$OWNERS" | {
  number=0
  while IFS= read -r line; do
    number=$((number + 1))
    line=$(printf %s "$line" | sed 's/^ *//')
    [ -n "$line" ] || continue
    if ! printf '%s\n' "$line" | grep -Eq '^[^ ]+( [^ ]+){2}(( [^ ]+){2})?$'; then
      echo "OWNERS: line $number must have 3 or 5 values, each after one blank: is a variable not set?" >&2
      exit 1
    fi
  done
}

# After a recovery, a server answers before it has replayed its log, and takes no changes until then.
while true; do
  replays=$(psql --dbname postgres --tuples-only --no-align --command 'select pg_is_in_recovery()')
  [ "$replays" = t ] || break
  echo "The server replays its log: waiting until it takes changes" >&2
  sleep 1
done

echo "$OWNERS" | while read -r database owner password user user_password; do
  [ -n "$database" ] || continue
  found=$(psql --dbname postgres --tuples-only --no-align --command "select 1 from pg_database where datname = '$database'")
  [ -n "$found" ] || psql --quiet --dbname postgres --command "create database \"$database\""
  run() {
    PGOPTIONS="-c setup.owner=$owner -c setup.password=$password -c setup.user=$user -c setup.user_password=$user_password" \
      psql --quiet --set ON_ERROR_STOP=1 --dbname "$database" --file "$(dirname "$0")/$1"
  }
  run database-users.sql
  [ -z "$user" ] || run database-rows-user.sql
  echo "database-users: $database belongs to $owner${user:+, and $user may change its rows}"
done
