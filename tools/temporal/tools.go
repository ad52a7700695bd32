//go:build tools

// Package tools pins the Temporal CLI, so that it can be built where its download cannot be reached.
package tools

import _ "github.com/temporalio/cli/cmd/temporal"
