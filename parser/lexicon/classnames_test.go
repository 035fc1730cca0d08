package lexicon_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// className matches what is written as classes of lexemes are.
var className = regexp.MustCompile(`^[A-Z]{2,}$`)

// noClass are words in capitals that the code of the parser has and that are no class:
// keys of tables inside the lexicon.
var noClass = map[string]bool{"NUM": true, "HYPHEN": true, "GAP": true, "SIGN": true, "CARDINAL": true, "POINT": true, "POSTPLUS": true, "ANY": true}

// The code of the parser names no class of lexemes that nothing is of: a name mistyped
// would never be found, and tell nobody.
func TestClassesAreThere(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, e := range lexicon.AllEntries() {
		known[e.Class] = true
	}
	for _, c := range market.Coins() {
		known[c.Ticker] = true
	}
	named := 0
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				name := strings.Trim(lit.Value, "\"`")
				if className.MatchString(name) && !noClass[name] {
					named++
					if !known[name] {
						t.Errorf("%v: nothing is of class %s", files.Position(lit.Pos()), name)
					}
				}
			}
			return true
		})
		return nil
	}))
	require.Greater(t, named, 300)
}
