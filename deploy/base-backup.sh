#!/bin/sh
# Copies the running PostgreSQL into the folder ARCHIVE, where its write-ahead log is archived: any later moment can be restored
# from both. Keeps BASE_BACKUPS_KEPT copies (2), and the log since the oldest of them. Connects as PGUSER, who must be allowed
# to replicate.
set -eu
archive=${ARCHIVE:-/archive}
kept=${BASE_BACKUPS_KEPT:-2}
target="$archive/base-$(date -u +%Y-%m-%dT%H%M%SZ)"

rm -rf "$archive"/base-*.unfinished
pg_basebackup --pgdata "$target.unfinished" --format tar --gzip --checkpoint fast --wal-method stream --no-password
mv "$target.unfinished" "$target"
sync "$archive"
ls -1dr "$archive"/base-* | tail -n "+$((kept + 1))" | xargs -r rm -r
oldest=$(ls -1d "$archive"/base-* | head -n 1)
begin=$(tar xzOf "$oldest/base.tar.gz" backup_label | sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p')
pg_archivecleanup "$archive" "$begin"
echo "base-backup: $target; the log is kept from $begin on"
