//go:build tools

// Package tools pins the Temporal CLI and the Temporal server, so that they can be built where their downloads cannot be
// reached.
package tools

import (
	_ "github.com/temporalio/cli/cmd/temporal"
	_ "go.temporal.io/server/cmd/server"
	_ "go.temporal.io/server/cmd/tools/sql"
)
