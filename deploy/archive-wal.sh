#!/bin/sh
# archive_command of PostgreSQL: copies a finished segment of the write-ahead log to the folder ARCHIVE. The segment has its name
# only when it is on the disk. PostgreSQL keeps a segment and tries again until this succeeds.
set -eu
archive=${ARCHIVE:-/archive}
if [ -e "$archive/$2" ]; then
  # PostgreSQL may repeat a segment after a crash; another one of the same name belongs to another server.
  cmp -s "$1" "$archive/$2" && exit 0
  echo "archive-wal: $2 is in the archive with other contents" >&2
  exit 1
fi
cp "$1" "$archive/$2.unfinished"
sync "$archive/$2.unfinished"
mv "$archive/$2.unfinished" "$archive/$2"
sync "$archive"
