// Package realdata finds data for tests and benchmarks that is not part of the
// project: real captures, and prompts that others labelled. Without it those
// tests are skipped.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// The variables that name the folders. That of captures has one sub-folder per
// data set, such as polymarket-btc-5m; that of prompts has the files themselves.
const (
	CapturesEnv = "LADDERBACK_REAL_DATA"
	PromptsEnv  = "LADDERBACK_PROMPTS"
)

// Dir returns the folder of the named data set of captures. It skips the test,
// saying why, when the folder is not there.
func Dir(t testing.TB, set string) string {
	t.Helper()
	return find(t, CapturesEnv, "data", set)
}

// Prompts returns the path of the named file of labelled prompts. It skips the
// test, saying why, when the file is not there.
func Prompts(t testing.TB, name string) string {
	t.Helper()
	return find(t, PromptsEnv, "prompts", name)
}

// find returns the path of name in the folder that the variable names or, where
// it is not set, in a folder of that kind inside a folder beside the module's.
func find(t testing.TB, env, kind, name string) string {
	t.Helper()
	var candidates []string
	if dir := os.Getenv(env); dir != "" {
		candidates = []string{filepath.Join(dir, name)}
	} else {
		candidates, _ = filepath.Glob(filepath.Join(filepath.Dir(module(t)), "*", kind, name))
	}
	for _, path := range candidates {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("no %s: set %s to a folder that has it", name, env)
	return ""
}

// module returns the folder of the module.
func module(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
