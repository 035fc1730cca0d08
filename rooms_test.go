package ladderback_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fzipp/gocyclo"
	"github.com/stretchr/testify/require"
)

// winding lists the functions that may have more than 15 ways through, with the
// most each may have: decoders written by hand for speed. The list only shrinks:
// a function that no longer needs its line fails.
var winding = map[string]int{
	"wslog (*Decoder).member": 20, // decoder by hand
	"wslog (*Decoder).emit":   17, // decoder by hand
}

// maxWays is how many ways through a function there may be (McCabe's
// cyclomatic complexity).
const maxWays = 15

// TestWaysThroughFunctions: code outside tests has no function with many ways
// through.
func TestWaysThroughFunctions(t *testing.T) {
	t.Parallel()
	left := maps.Clone(winding)
	for _, s := range gocyclo.Analyze([]string{"."}, regexp.MustCompile(`_test\.go$|(^|/)(internal|testdata|node_modules)/`)) {
		if s.Complexity <= maxWays {
			continue
		}
		name := s.PkgName + " " + s.FuncName
		if s.Complexity > left[name] {
			t.Errorf("%v: %s has %d ways through: at most %d", s.Pos, name, s.Complexity, max(maxWays, left[name]))
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("%s needs no line in the list any more", name)
	}
}

// maxLines is how long a package may be, tests apart.
const maxLines = 3500

// long lists the packages that may be longer.
var long = map[string]string{
	"cmd/ladderback": "one file for each subcommand, wiring alone",
}

// TestSizesOfPackages: no package outgrows what one can read in a sitting.
func TestSizesOfPackages(t *testing.T) {
	t.Parallel()
	lines := map[string]int{}
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		lines[filepath.ToSlash(filepath.Dir(file))] += bytes.Count(text, []byte("\n"))
		return err
	}))
	for pkg, n := range lines {
		if n > maxLines && long[pkg] == "" {
			t.Errorf("package %s has %d lines: at most %d", pkg, n, maxLines)
		}
	}
}
