#!/bin/sh
# Installs third-party generators of clients from npm, python or go, for test/client/generators.test.ts. Does nothing where
# these versions are installed. tools/client-generators.sh npm
set -eu

NPM='@hey-api/openapi-ts@0.95.0 openapi-typescript@7.13.0 orval@7.13.2 typescript@5.9.3'
PYTHON='datamodel-code-generator==0.89.0 openapi-python-client==0.29.1'
GO=v2.8.2
GO_RUNTIME=v1.6.0

folder="$HOME/.cache/device-monitoring-service/test-programs/generators/$1"

install_npm() {
  echo '{"private": true}' > package.json
  # shellcheck disable=SC2086
  npm install --silent --no-audit --no-fund --ignore-scripts --save-exact $NPM
}

install_python() {
  # shellcheck disable=SC2086
  python3 -m pip install -q --target . $PYTHON
}

# What a generated client imports is compiled here, with the options of the test, so that the test does not wait for it.
install_go() {
  export CGO_ENABLED=0 GOFLAGS=-buildvcs=false
  GOBIN="$PWD/bin" go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$GO"
  go mod init generated
  printf 'package main\n\nimport (\n\t_ "github.com/oapi-codegen/runtime"\n\t_ "github.com/oapi-codegen/runtime/types"\n)\n\nfunc main() {}\n' > main.go
  go get "github.com/oapi-codegen/runtime@$GO_RUNTIME"
  go mod tidy
  go mod vendor
  go build -trimpath -o /dev/null .
}

case $1 in
  npm) versions=$NPM ;;
  python) versions=$PYTHON ;;
  go) versions="$GO $GO_RUNTIME" ;;
esac
[ "$(cat "$folder/versions" 2> /dev/null)" != "$versions" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"install_$1"
echo "$versions" > versions
