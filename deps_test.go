package ladderback_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/ladderback/ladderback"

// overArchive is what brings captures into an archive, or out of one, may import.
var overArchive = []string{
	"market", "archive", "archive/block", "archive/store", "archive/scan", "archive/intake", "archive/history",
}

// outFile writes the files that flags name, wherever a flag may name one.
const outFile = "internal/outfile"

// mayImport says which packages of this module a package may import, as
// patterns of path.Match, where a trailing "/*" also stands for every folder
// below. A package that is not listed may not exist: a new one is a change of
// the architecture, and is made here.
var mayImport = []struct {
	pkg  string
	from []string
}{
	{".", nil},
	{"docs", nil},
	{"market", nil},
	{"strategy", []string{"market"}},
	{"fills", []string{"market"}},
	{"archive/block/packing", nil}, // columns of a block: symbols in the smallest of some ways
	{"archive/block", []string{"market", "archive/block/packing"}},
	{"prompts", []string{"strategy"}},
	{"parser/lexicon", []string{"market"}},
	{"parser/grammar", []string{"market", "parser/lexicon"}},
	{"parser/meaning", []string{"market", "strategy", "parser/lexicon", "parser/grammar"}},
	{"parser/lazy", nil},
	{"parser/orders/kinds", []string{"strategy", "parser/lazy"}},
	{"parser/orders/sift", []string{"parser/lazy"}},
	{"parser/orders/told", []string{"parser/lazy"}},
	{"parser/orders", []string{"strategy", "parser/lazy", "parser/lexicon", "parser/orders/kinds", "parser/orders/sift", "parser/orders/told"}},
	{"parser/rules/said", []string{"parser/lazy", "parser/lexicon", "parser/grammar"}},
	{"parser/rules", []string{"market", "strategy", "parser/lazy", "parser/lexicon", "parser/grammar", "parser/meaning", "parser/orders", "parser/rewrite", "parser/guard", "parser/roles", "parser/rules/said"}},
	{"parser/rewrite", []string{"market", "strategy", "parser/lazy", "parser/lexicon", "parser/grammar"}},
	{"parser/roles", []string{"market", "strategy", "parser/lexicon", "parser/grammar", "parser/meaning"}},
	{"parser/guard", []string{"market", "strategy", "parser/lexicon", "parser/grammar", "parser/meaning", "parser/roles"}},
	{"parser/model", []string{"strategy", "prompts", "parser/guard"}},
	{"parser", []string{"market", "strategy", "prompts", "parser/*"}},
	{"archive/store", []string{"market", "archive/block"}},
	{"archive/tops", []string{"market", "archive/block"}},
	{"archive/scan", []string{"market", "archive/block", "archive/store", "archive/tops"}},
	{"archive/derive", []string{"market", "archive/block", "archive/store", "archive/ingest/jsonlex"}},
	{"archive/table", []string{"market"}},
	{"archive/history", []string{"market", "archive/store", "archive/scan"}},
	{"archive/intake", []string{"market", "archive/block", "archive/store", "archive/scan", "archive/derive"}},
	{"archive/care", []string{"market", "archive/block", "archive/store", "archive/scan", "archive/derive"}},
	{"archive/postgres", []string{"market", "archive/block", "archive/store", "internal/sqlstore"}},
	{"archive/sqlite/overwrite", nil},
	{"archive/sqlite/fresh", []string{"archive/store", "archive/sqlite/pool", "internal/sqlstore"}},
	{"archive/pack", []string{"market", "archive/block", "archive/store"}},
	{"archive/sqlite/packed", []string{"archive/store", "archive/sqlite/pool"}},
	{"archive/sqlite/pool", []string{"archive/store"}},
	{"archive/sqlite/grams", []string{"market", "archive/store", "archive/sqlite/pool", "archive/sqlite/clause", "archive/sqlite/short"}},
	{"archive/sqlite/sieve", []string{"archive/store", "archive/sqlite/pool"}},
	{"archive/sqlite/indexes", []string{"archive/store", "archive/sqlite/pool", "archive/sqlite/sieve", "archive/sqlite/txn"}},
	{"archive/sqlite/short", []string{"market", "archive/store"}},
	{"archive/sqlite/clause", []string{"archive/store", "archive/sqlite/short"}},
	{"archive/sqlite/file", []string{"market", "archive/store", "archive/sqlite/fresh", "archive/sqlite/indexes", "archive/sqlite/short", "archive/sqlite/sieve", "internal/sqlstore"}},
	{"archive/sqlite/txn", []string{"archive/store", "archive/sqlite/pool", "archive/sqlite/sieve"}},
	{"archive/sqlite/claims", []string{"archive/store", "archive/sqlite/pool", "archive/sqlite/short", "archive/sqlite/txn"}},
	{"archive/sqlite/catalogue", []string{"market", "archive/store", "archive/sqlite/clause", "archive/sqlite/grams", "archive/sqlite/pool", "archive/sqlite/short", "archive/sqlite/txn"}},
	{"archive/sqlite", []string{"market", "archive/store", "archive/sqlite/*"}},
	{"archive", []string{"market", "archive/store", "archive/scan", "archive/history"}},
	{"archive/simulate", overArchive},
	{"archive/export", slices.Concat(overArchive, []string{outFile, "archive/table"})},
	{"archive/record", overArchive},
	{"archive/ingest", slices.Concat(overArchive, []string{"archive/ingest/*"})},
	{"archive/ingest/*", slices.Concat(overArchive, []string{
		"archive/ingest/scalar", "archive/ingest/jsonlex", "archive/ingest/ladder", "archive/ingest/rows",
		"archive/ingest/stream", "archive/ingest/wslog", "archive/ingest/parquet",
	})},
	{"replay/skim", []string{"market"}},
	{"replay/tape", []string{"market", "strategy", "fills", "replay/skim"}},
	{"replay/queue", []string{"market", "fills"}},
	{"replay/orders", []string{"market", "strategy", "fills", "replay/skim", "replay/tape", "replay/queue"}},
	{"replay", []string{"market", "strategy", "fills", "replay/skim", "replay/tape", "replay/queue", "replay/orders"}},
	{"replay/sweep", []string{"market", "strategy", "fills", "replay", "backtest/stats"}},
	{"backtest/stats", []string{"market"}},
	{"backtest/figures", []string{"market", "backtest/stats"}},
	{"backtest/calibration", []string{"market", "strategy", "replay", "backtest/stats"}}, // prices against outcomes
	{"backtest/looks", []string{"market", "replay/sweep", "backtest/stats"}},             // a mean against many tries
	{"backtest/after", []string{"market", "replay", "backtest/stats"}},                   // what happened after the fills
	{"backtest/diff", nil}, // fields in which two values of JSON differ
	{"backtest/compare", []string{"market", "backtest", "backtest/diff", "backtest/looks", "backtest/stats"}},
	{"backtest", []string{"market", "strategy", "fills", "replay", "replay/*", "backtest/*"}},
	{"backtest/parts", []string{"market", "strategy", "fills", "replay", "replay/*", "backtest", "backtest/stats"}},
	{"report/words", []string{"market", "strategy", "fills", "replay", "backtest", "backtest/*"}},
	{"report/usage", nil}, // how a command is used, for people
	{"report/listing", []string{"market", "strategy", "archive/*", "backtest", "backtest/figures", "report/words", "tries", "identity", "identity/accounts"}},
	{"report/progress", []string{"report/listing"}},
	{"report/*", []string{"market", "strategy", "fills", "replay", "backtest", "backtest/*", "report/words"}},
	{"tries", []string{"market", "strategy", "replay", "backtest", "backtest/stats", "internal/sqlstore"}}, // how often what was looked at
	{"runs", []string{"market", "strategy", "replay", "backtest", "backtest/*", "tries", "internal/sqlstore"}},
	{"regress", []string{"market", "strategy", "parser", "replay", "backtest", "backtest/stats", outFile}},
	{"identity", []string{"market", "internal/sqlstore"}},
	{"identity/mail", nil},
	{"identity/oidc", []string{"market"}},
	{"identity/credentials", []string{"market"}},
	{"identity/accounts", []string{"market", "identity", "identity/mail", "identity/credentials", "internal/sqlstore"}},
	{"identity/oauth", []string{"market", "identity/accounts"}},
	{"api/grants", []string{"api/wire", "identity/accounts", "identity/oauth"}},
	{"api/wire", []string{"market", "backtest"}}, // one way of writing JSON
	{"api/page", []string{"api/wire"}},
	{"api/page/forms", []string{"market", "api/wire", "identity/accounts", "identity/credentials", "identity/oauth", "identity/oidc"}},
	{"api/question", []string{"market", "strategy", "replay", "replay/*", "backtest", "api/wire"}},
	{"api/places", []string{"market"}}, // how many backtests run and wait
	{"api/people", []string{"market", "identity", "identity/accounts", "identity/credentials", "api/wire", "api/question"}},
	{"api/lists", []string{"market", "archive/store", "backtest/stats", "api/wire"}},
	{"api/history", []string{"market", "archive/store", "archive/history", "archive/table", "identity", "api/wire"}},
	{"api", []string{
		"market", "strategy", "parser", "replay", "replay/*", "backtest", "backtest/*", "report/*",
		"archive", "archive/*", "api/*", "identity", "identity/*", "runs", "tries", "docs",
	}},
	{"client", []string{"strategy", "backtest", "backtest/compare"}},
	{"examples/client", []string{"client"}},
	{"examples/client/history", []string{"client"}},
	{"mcp", []string{"client", "backtest", "report/words", "report/terminal", "docs"}}, // talks to api over HTTP
	{"web", nil},
	{"app/heap", nil}, // it begins before anything else of ours
	{"bench", []string{"*", "*/*", "*/*/*", "*/*/*/*"}},
	{"app", []string{"*", "*/*", "*/*/*", "*/*/*/*"}}, // but not the command: nobody imports that
	{"cmd/ladderback", []string{"*", "*/*", "*/*/*", "*/*/*/*"}},
	{"internal/sqlstore", nil}, // what the stores open and migrate with: no test support
	{outFile, nil},
	{"internal/*", []string{"*", "*/*", "*/*/*", "*/*/*/*"}}, // test support
	{"scripts/lint", nil},
	{"scripts/release", nil},
}

// onlyIn says which packages alone may import an outside module.
var onlyIn = map[string][]string{
	"github.com/sashabaranov/go-openai": {"parser/model"},
	"github.com/jackc/pgx/v5":           {"archive/postgres", "runs", "internal/sqlstore", "internal/pgtest"},
	"github.com/riverqueue/river":       {"runs"},
	"github.com/ncruces/go-sqlite3":     {"archive/sqlite/file", "archive/sqlite/fresh", "archive/sqlite/indexes", "archive/sqlite/pool", "archive/sqlite/sieve", "internal/sqlstore"},
	"github.com/go-chi/chi/v5":          {"api"},
	"github.com/minio/minio-go/v7":      {"archive/pack"},
	"github.com/yuin/goldmark":          {"docs"},
	"golang.org/x/image":                {"report/preview"},
}

func matches(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if ok, err := path.Match(p, pkg); err == nil && ok {
			return true
		}
		return strings.HasSuffix(p, "/*") && strings.HasPrefix(pkg, strings.TrimSuffix(p, "*"))
	})
}

func allowed(t *testing.T, pkg string) []string {
	t.Helper()
	for _, row := range mayImport {
		if row.pkg == pkg {
			return row.from
		}
	}
	for _, row := range mayImport {
		if strings.HasSuffix(row.pkg, "/*") && matches(pkg, []string{row.pkg}) {
			return row.from
		}
	}
	t.Errorf("package %s stands in no row of the table of imports", pkg)
	return nil
}

// TestImports holds the table of imports: data flows one way, and outside
// modules stay where they are adapted. Test files may import all but the
// command.
func TestImports(t *testing.T) {
	t.Parallel()
	openai := map[string][]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		isTest := strings.HasSuffix(file, "_test.go")
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := allowed(t, pkg)
		for _, spec := range parsed.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
				require.NotEqual(t, "cmd/ladderback", ours, "%s: nobody imports the command", file)
				if !isTest && ours != pkg && !matches(ours, from) && !testSupport(pkg, ours) {
					t.Errorf("%s: package %s may not import %s; it may import %v", file, pkg, ours, from)
				}
				continue
			}
			for outside, homes := range onlyIn {
				if isTest || imported != outside && !strings.HasPrefix(imported, outside+"/") {
					continue
				}
				if !slices.Contains(homes, pkg) {
					t.Errorf("%s: %s belongs into %v only", file, imported, homes)
				}
				if outside == "github.com/sashabaranov/go-openai" {
					openai[outside] = append(openai[outside], file)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	for outside, files := range openai {
		require.Len(t, files, 1, "%s is adapted in one file", outside)
	}
}

// testSupport reports whether ours is a helper for tests that the test-support
// package pkg may use.
func testSupport(pkg, ours string) bool {
	return strings.HasSuffix(pkg, "test") && strings.HasPrefix(ours, "internal/")
}
