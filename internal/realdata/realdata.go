// Package realdata finds a folder of real captures for tests and benchmarks.
// The captures are not part of the project; without them those tests are
// skipped.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Env names the variable that holds the folder of real captures. The folder
// has one sub-folder a data set, such as polymarket-btc-5m.
const Env = "LADDERBACK_REAL_DATA"

// Dir returns the folder of the named data set. It skips the test, saying why,
// when the folder is not there: $LADDERBACK_REAL_DATA, else shared/data beside
// the folder of the module.
func Dir(t testing.TB, set string) string {
	t.Helper()
	root := os.Getenv(Env)
	if root == "" {
		wd, err := os.Getwd()
		if err != nil {
			t.Skipf("no real captures: %v", err)
		}
		for wd != filepath.Dir(wd) {
			if _, err := os.Stat(filepath.Join(wd, "go.mod")); err == nil {
				break
			}
			wd = filepath.Dir(wd)
		}
		root = filepath.Join(filepath.Dir(wd), "shared", "data")
	}
	dir := filepath.Join(root, set)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no real captures in %s; set %s to a folder that has %s", root, Env, set)
	}
	return dir
}
