#!/bin/sh
# Starts a Citus of a coordinator and two nodes for the tests, and prints the settings that these need:
#   CITUS_BIN=/usr/lib/postgresql/18/bin tools/citus.sh FOLDER [PORT]
# CITUS_BIN has the programs of a PostgreSQL with the extension. FOLDER is new; it gets a folder for each server. These listen
# on loopback, at PORT (9700) and the next two, as the user who calls, which must not be root. With the folder of one server
# the script starts that one again. `pg_ctl stop -D FOLDER/0` stops one.
set -eu
folder=${1:?names the folder of the data}
port=${2:-9700}
bin=${CITUS_BIN:?names the folder with the programs of PostgreSQL}

start() { "$bin/pg_ctl" -D "$1" -l "$1.log" -w start > /dev/null; }
ask() { "$bin/psql" -h 127.0.0.1 -p "$1" -U postgres -qAt -c "$2" > /dev/null; }

if [ -f "$folder/PG_VERSION" ]; then
  start "$folder"
  exit
fi

for node in 0 1 2; do
  "$bin/initdb" -D "$folder/$node" -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 > /dev/null
  cat >> "$folder/$node/postgresql.conf" << CONF
port = $((port + node))
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
citus.shard_count = 8
max_connections = 400
max_prepared_transactions = 200
wal_level = logical
fsync = off
CONF
  start "$folder/$node"
  ask $((port + node)) 'create extension citus'
done
ask "$port" "select citus_set_coordinator_host('127.0.0.1', $port)"
for node in 1 2; do ask "$port" "select citus_add_node('127.0.0.1', $((port + node)))"; done

echo "export CITUS_BIN=$bin CITUS_URL=postgres://postgres@127.0.0.1:$port/postgres"
echo "export CITUS_START_NODE=$(cd "$(dirname "$0")" && pwd)/citus.sh"
