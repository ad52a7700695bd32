#!/bin/sh
# Installs what `npm run release:pack` needs beyond npm: the build backend of Python's package, and Helm. Does nothing where
# both are there.
set -eu

# Builds the package of the Python client.
SETUPTOOLS=84.2.1
HELM=v4.3.1
own="$HOME/.cache/device-monitoring-service/test-programs"

if [ ! -d "$own/python-build" ]; then
  pip3 install -q --no-deps --target "$own/python-build" "setuptools==$SETUPTOOLS" \
    || echo 'The build backend of Python cannot be installed, so its package is left out.' >&2
fi

if [ ! -x "$own/bin/helm" ]; then
  CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOBIN="$own/bin" go install -trimpath -ldflags='-s -w' \
    "helm.sh/helm/v4/cmd/helm@$HELM" || echo 'Helm cannot be installed, so the chart and its tests are left out.' >&2
fi
