#!/bin/sh
# Makes the namespace and the search attributes that this service uses. Safe to run again.
#
# Takes TEMPORAL_ADDRESS, and if they should differ TEMPORAL_NAMESPACE, TEMPORAL_RETENTION and
# TEMPORAL_SEARCH_ATTRIBUTES (all of them keywords). TEMPORAL_CLI is the program, temporal unless set.
set -eu

: "${TEMPORAL_ADDRESS:?must be host:port of the Temporal server}"
export TEMPORAL_ADDRESS

cli=${TEMPORAL_CLI:-temporal}
namespace=${TEMPORAL_NAMESPACE:-default}
retention=${TEMPORAL_RETENTION:-72h}
attributes=${TEMPORAL_SEARCH_ATTRIBUTES:-OrganizationId JobId EndpointId}

# A server that has just started answers a little later, and a new namespace is known everywhere a little later.
patiently() {
  what=$1
  shift
  tries=60
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      echo "temporal-namespace: $what failed:" >&2
      "$@" >&2 || exit 1
      return
    fi
    sleep 2
  done
  echo "temporal-namespace: $what"
}

is_healthy() {
  "$cli" operator cluster health
}

has_namespace() {
  "$cli" operator namespace describe --namespace "$namespace"
}

make_namespace() {
  has_namespace || "$cli" operator namespace create --namespace "$namespace" --retention "$retention"
}

# Asks as a workflow does: the list of attributes knows a new one seconds before workflows can have it.
has_attribute() {
  "$cli" workflow count --namespace "$namespace" --query "$1 = 'none'"
}

make_attribute() {
  has_attribute "$1" || {
    "$cli" operator search-attribute create --namespace "$namespace" --name "$1" --type Keyword
    has_attribute "$1"
  }
}

patiently 'the server answers' is_healthy
patiently "namespace $namespace" make_namespace
for attribute in $attributes; do
  patiently "search attribute $attribute" make_attribute "$attribute"
done
echo 'temporal-namespace: done'
