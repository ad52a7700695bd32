#!/bin/sh
# Backs the database up at the first start and then once a day, from BACKUP_HOUR (UTC) on, and restores each backup into DRILL_DATABASE, which it empties
# before and after. `backup.sh once` does it now; `backup.sh check` succeeds when a backup of the last 26 hours was restored.
#
# A backup that was interrupted is removed by the next one, since it has another name until it is whole. A backup that failed is
# made again after ten minutes. A backup that cannot be restored stays, and is restored again every ten minutes, with its reason in
# the log. One backup at a time uses DRILL_DATABASE: another one waits.
#
# Takes PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE of the owner of the tables.
set -eu

: "${DRILL_DATABASE:?must be a database that nothing else uses}"
[ "$DRILL_DATABASE" != "$PGDATABASE" ] || { echo 'backup: DRILL_DATABASE is emptied, so it must be another one' >&2; exit 1; }
folder=${BACKUP_DIRECTORY:-/backups}
drilled="$folder/last-restored"

url() { echo "postgres://$PGUSER:$PGPASSWORD@$PGHOST:${PGPORT:-5432}/$1"; }
ask() { psql --dbname "$1" --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --command "$2"; }
empty() { PGOPTIONS='-c client_min_messages=warning' ask "$DRILL_DATABASE" 'drop schema public cascade; create schema public'; }
# Numbers of rows. Some come and go during a backup, so they differ.
contents() {
  ask "$1" "select 'organizations ' || (select count(*) from organizations) || ', devices ' || (select count(*) from assets)
    || ', profiles ' || (select count(*) from profiles) || ', migrations ' || (select count(*) from schema_migrations)"
}

# Whether nothing is empty that is not empty in the database.
is_whole() {
  for name in organizations devices profiles migrations; do
    case "$1," in *"$name 0,"*) case "$2," in *"$name 0,"*) ;; *) return 1 ;; esac ;; esac
  done
}

backup() {
  DATABASE_URL=$(url "$PGDATABASE") dms backup "$1"
}

# Each step is checked by hand: the shell ignores failures within a function whose result is asked for.
drill() {
  empty || return 1
  DATABASE_URL=$(url "$DRILL_DATABASE") dms restore "$1" > /dev/null || return 1
  restored=$(contents "$DRILL_DATABASE") || return 1
  kept=$(contents "$PGDATABASE") || return 1
  is_whole "$restored" "$kept" || { echo "backup: $1 is not whole: $restored; the database has $kept" >&2; return 1; }
  empty || return 1
  case "$restored" in 'organizations 0,'*)
    if grep -qs '^organizations [1-9]' "$drilled"; then
      echo "backup: $1 has no organization, the one before had: $(cat "$drilled"). No backup is removed. If that is right, remove $drilled" >&2
      return 1
    fi ;;
  esac
  echo "$restored" > "$drilled.unfinished" && mv "$drilled.unfinished" "$drilled" || return 1
  echo "backup: $1 was restored: $restored; the database has $kept"
}

remove_old() {
  ls -1r "$folder" | grep '^dms-.*\.dump$' | tail -n "+$((${BACKUPS_KEPT:-14} + 1))" | while read -r name; do
    rm "$folder/$name"
  done
}

check_and_remove_old() {
  drill "$1" && remove_old
}

run_once() {
  backup "$1" && check_and_remove_old "$1"
}

# Runs a step while no other backup runs one; what is unfinished then was interrupted.
alone() {
  (
    flock --nonblock 9 || { echo 'backup: waits for another backup to end' >&2; flock 9; } || exit 1
    rm -f "$folder"/dms-*.dump.*unfinished
    "$@"
  ) 9> "$folder/.lock"
}

# The shell is stopped at once, and not after its sleep.
pause() {
  sleep "$1" &
  wait $!
}

case "${1:-nightly}" in
  check)
    find "$folder" -name last-restored -mmin -1560 | grep -q . ;;
  once)
    alone run_once "$folder/dms-$(date -u +%Y-%m-%dT%H%M%SZ).dump" ;;
  nightly)
    trap 'exit 0' TERM INT
    while true; do
      # A day begins at BACKUP_HOUR, so a backup that failed before midnight is repeated after it.
      day=$(date -u -d "${BACKUP_HOUR:-2} hours ago" +%Y-%m-%d)
      today="$folder/dms-$day.dump"
      [ -e "$today" ] || alone backup "$today" || pause 540
      if [ -e "$today" ] && [ -z "$(find "$folder" -name last-restored -newer "$today")" ]; then
        alone check_and_remove_old "$today" || pause 540
      fi
      pause 60
    done ;;
  *)
    echo 'backup: give nothing, once or check' >&2; exit 2 ;;
esac
