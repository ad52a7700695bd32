#!/bin/sh
# Puts a base backup in place of the data in PGDATA, which must not be in use, and tells PostgreSQL to replay the archived log up to
# a moment when it starts. Takes the moment, as '2026-03-02 08:25:31+00'. The present data stays beside it, as PGDATA.before.
set -eu
archive=${ARCHIVE:-/archive}
moment=${1:?must be a moment, as 2026-03-02 08:25:31+00}
: "${PGDATA:?must be the folder of the data}"

[ ! -e "$PGDATA/postmaster.pid" ] || { echo 'restore-to-time: PostgreSQL runs on this data, or did not stop in order' >&2; exit 1; }
[ ! -e "$PGDATA.before" ] || { echo "restore-to-time: remove $PGDATA.before first" >&2; exit 1; }
# The latest copy that was complete before the moment: its manifest is written last.
base=''
for each in "$archive"/base-*; do
  case "$each" in *.unfinished) continue ;; esac
  [ "$(stat -c %Y "$each/backup_manifest")" -lt "$(date -d "$moment" +%s)" ] && base=$each
done
[ -n "$base" ] || { echo "restore-to-time: no base backup is older than $moment" >&2; exit 1; }

mkdir -m 700 "$PGDATA.restored"
tar xzf "$base/base.tar.gz" -C "$PGDATA.restored"
tar xzf "$base/pg_wal.tar.gz" -C "$PGDATA.restored/pg_wal"
cat >> "$PGDATA.restored/postgresql.auto.conf" << EOF
restore_command = 'cp "$archive/%f" "%p"'
recovery_target_time = '$moment'
recovery_target_action = 'promote'
EOF
touch "$PGDATA.restored/recovery.signal"
chown -R --reference "$PGDATA" "$PGDATA.restored"
mv "$PGDATA" "$PGDATA.before"
mv "$PGDATA.restored" "$PGDATA"
echo "restore-to-time: $base is in place; PostgreSQL replays the log up to $moment when it starts"
