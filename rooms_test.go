package ladderback_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// alarm is how many lines of code a package that is no table may have, comments and
// blank lines not counted: one that outgrows it should be cut where it has a seam.
const alarm = 3000

// room is what one package is made of, in lines.
type room struct{ code, comments, tests int }

// add adds what another is made of.
func (r *room) add(o *room) {
	r.code, r.comments, r.tests = r.code+o.code, r.comments+o.comments, r.tests+o.tests
}

// row is a row of a table of rooms, as docs/internals/house.md has it.
func (r *room) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d %% | %d | %.2f |", name, r.code, 100*r.comments/max(1, r.code+r.comments), r.tests, float64(r.tests)/float64(max(1, r.code)))
}

// TestRooms: no package outgrows what one can read in a sitting. What each is made of,
// and how long its functions are, is printed with -v and judged by readers.
func TestRooms(t *testing.T) {
	t.Parallel()
	rooms, lengths := map[string]*room{}, map[string][]int{}
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if rooms[pkg] == nil {
			rooms[pkg] = &room{}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		code, comments := countLines(text)
		if strings.HasSuffix(file, "_test.go") {
			rooms[pkg].tests += code
			return nil
		}
		rooms[pkg].code += code
		rooms[pkg].comments += comments
		lengths[pkg] = append(lengths[pkg], functions(t, file, text)...)
		return nil
	}))
	folders, all := map[string]*room{}, &room{}
	for _, pkg := range slices.Sorted(maps.Keys(rooms)) {
		r, n := rooms[pkg], lengths[pkg]
		slices.Sort(n)
		median := 0
		if len(n) > 0 {
			median = n[len(n)/2]
		}
		t.Logf("%-36s %5d lines of code, comments %3d%%, tests %.2f a line, functions: %d, median %d lines",
			pkg, r.code, 100*r.comments/max(1, r.code+r.comments), float64(r.tests)/float64(max(1, r.code)), len(n), median)
		if r.code > alarm && pkg != "cmd/ladderback" { // a file for each subcommand: a table
			t.Errorf("package %s has %d lines of code: more than %d", pkg, r.code, alarm)
		}
		folder, _, _ := strings.Cut(pkg, "/")
		if folders[folder] == nil {
			folders[folder] = &room{}
		}
		folders[folder].add(r)
		if folder != "internal" { // test support
			all.add(r)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		t.Log(folders[folder].row("`" + folder + "`"))
	}
	t.Log(all.row("all but `internal`"))
}

// countLines returns how many lines of a Go file have code, and how many nothing but
// comments.
func countLines(text []byte) (code, comments int) {
	files := token.NewFileSet()
	f := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(f, text, nil, scanner.ScanComments)
	withCode, withComment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		into := withCode
		if tok == token.COMMENT {
			into = withComment
		}
		first := files.Position(pos).Line
		for line := first; line <= first+strings.Count(lit, "\n"); line++ {
			into[line] = true
		}
	}
	for line := range withComment {
		if !withCode[line] {
			comments++
		}
	}
	return len(withCode), comments
}

// functions returns how many lines each function of a file has.
func functions(t *testing.T, name string, text []byte) (lengths []int) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			lengths = append(lengths, files.Position(f.End()).Line-files.Position(f.Pos()).Line+1)
		}
	}
	return lengths
}
