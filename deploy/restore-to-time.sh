#!/bin/sh
# Puts a base backup in place of the data in PGDATA, which must not be in use and may be lost, and tells PostgreSQL to replay the
# archived log when it starts: up to a moment, as '2026-03-02 08:25:31+00', or without one to its end. The data that was there stays
# beside it, as PGDATA.before-<time>.
set -eu
archive=${ARCHIVE:-/archive}
moment=${1:-}
: "${PGDATA:?must be the folder of the data}"

[ ! -e "$PGDATA/postmaster.pid" ] || { echo 'restore-to-time: PostgreSQL runs on this data, or did not stop in order: when it does not run, remove postmaster.pid' >&2; exit 1; }
end=$(date -d "${moment:-tomorrow}" +%s)
is_earlier() { [ "$(stat -c %Y "$1")" -lt "$end" ]; }

# The latest copy that was complete before the moment: its manifest is written last.
base=''
for each in "$archive"/base-*; do
  case "$each" in *.unfinished) continue ;; esac
  is_earlier "$each/backup_manifest" && base=$each
done
[ -n "$base" ] || { echo "restore-to-time: no base backup is older than ${moment:-now}" >&2; exit 1; }
# The timeline of the moment. A recovery begins a new one, which lacks everything between the moment it led to and its own time.
timeline=current
for each in "$archive"/*.history; do
  [ -e "$each" ] && is_earlier "$each" && timeline=$(printf %d "0x$(basename "$each" .history)")
done

owner=$PGDATA
[ -e "$PGDATA" ] || owner=$archive
rm -rf "$PGDATA.restored"
mkdir -p "$(dirname "$PGDATA")"
mkdir -m 700 "$PGDATA.restored"
tar xzf "$base/base.tar.gz" -C "$PGDATA.restored"
tar xzf "$base/pg_wal.tar.gz" -C "$PGDATA.restored/pg_wal"
# The copy may contain the settings of an earlier recovery, so all are given.
cat >> "$PGDATA.restored/postgresql.auto.conf" << EOF
restore_command = 'cp "$archive/%f" "%p"'
recovery_target_time = '$moment'
recovery_target_timeline = '$timeline'
recovery_target_action = 'promote'
EOF
touch "$PGDATA.restored/recovery.signal"
chown -R --reference "$owner" "$PGDATA.restored"
[ ! -e "$PGDATA" ] || mv -T "$PGDATA" "$PGDATA.before-$(date -u +%Y-%m-%dT%H%M%S.%3NZ)"
mv "$PGDATA.restored" "$PGDATA"
# Copies that are not older than the moment are of the log that is left now: no later recovery may begin from them.
for each in "$archive"/base-*; do
  [ ! -e "$each/backup_manifest" ] || is_earlier "$each/backup_manifest" || mv "$each" "$archive/left-$(basename "$each")"
done
echo "restore-to-time: $base is in place; PostgreSQL replays the log up to ${moment:-its end} when it starts"
