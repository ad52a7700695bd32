#!/bin/sh
# Makes and updates the two databases of the Temporal server on PostgreSQL. Safe to run again: what is there stays,
# and only newer versions of the schema are applied. Run it with the tool of the new version before the new server.
#
# Takes the server's own variables: POSTGRES_SEEDS, DB_PORT, POSTGRES_USER, POSTGRES_PWD, DBNAME, VISIBILITY_DBNAME.
# TEMPORAL_SQL_TOOL is the program, temporal-sql-tool unless set. With CREATE_DATABASES=false the databases are there,
# and the user may not create any.
set -eu

: "${POSTGRES_SEEDS:?must be the host of PostgreSQL}"
: "${POSTGRES_USER:?must be the user of PostgreSQL}"
: "${POSTGRES_PWD:?must be the password of that user}"

tool=${TEMPORAL_SQL_TOOL:-temporal-sql-tool}

export SQL_PLUGIN=postgres12_pgx
export SQL_HOST="$POSTGRES_SEEDS"
export SQL_PORT="${DB_PORT:-5432}"
export SQL_USER="$POSTGRES_USER"
export SQL_PASSWORD="$POSTGRES_PWD"

# The tool tells every statement; that is worth reading only when one failed.
run() {
  output=$("$tool" "$@" 2>&1) || {
    echo "$output" >&2
    echo "temporal-schema: failed: $*" >&2
    exit 1
  }
}

prepare() {
  database=$1 schema=$2
  [ "${CREATE_DATABASES:-true}" = false ] || run --db "$database" create-database
  run --db "$database" setup-schema --version 0.0
  run --db "$database" update-schema --schema-name "postgresql/v12/$schema"
  echo "temporal-schema: $database is ready"
}

prepare "${DBNAME:-temporal}" temporal
prepare "${VISIBILITY_DBNAME:-temporal_visibility}" visibility
