package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Check runs SQLite's own checks on the file. It returns a line for each table
// or index of which something is wrong, with the first that is.
func (s *store) Check(ctx context.Context) ([]string, error) {
	l, err := s.readers.take(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	defer s.readers.give(l, true)
	var lines []string
	err = l.each(ctx, `PRAGMA integrity_check(1000)`, nil, func(r *sql.Rows) error {
		var text string
		err := r.Scan(&text)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "ok" && !strings.HasPrefix(line, "*** in database") {
				lines = append(lines, line)
			}
		}
		return err
	})
	if len(lines) == 0 {
		return nil, s.fail(err)
	}
	names, _ := objects(ctx, l) // without them the lines are told as they are
	return flaws(lines, names), s.fail(err)
}

// objects returns the names of tables and indexes, by their root page.
func objects(ctx context.Context, l *link) (map[string]string, error) {
	out := map[string]string{}
	err := l.each(ctx, `SELECT rootpage, type, name FROM sqlite_schema WHERE rootpage > 0`, nil, func(r *sql.Rows) error {
		var root int64
		var kind, name string
		err := r.Scan(&root, &kind, &name)
		out[fmt.Sprint(root)] = kind + " " + name
		return err
	})
	return out, err
}

// How SQLite begins what it says of a tree of pages, and of an index.
var (
	aboutTree  = regexp.MustCompile(`^Tree (\d+) (.*)$`)
	aboutIndex = regexp.MustCompile(`index (\w+)$`)
)

// flaws sums up what SQLite found, in order of what it is about.
func flaws(lines []string, names map[string]string) []string {
	const free = "pages in use nowhere"
	first, count := map[string]string{}, map[string]int{}
	for _, line := range lines {
		about := free
		if m := aboutTree.FindStringSubmatch(line); m != nil {
			about, line = names[m[1]], m[2]
			if about == "" {
				about = "tree " + m[1]
			}
		} else if m := aboutIndex.FindStringSubmatch(line); m != nil {
			about = "index " + m[1]
		}
		if count[about]++; count[about] == 1 {
			first[about] = line
		}
	}
	var out []string
	for about, n := range count {
		line := fmt.Sprintf("%s: %s", about, first[about])
		if n > 1 {
			line += fmt.Sprintf(", and %d more", n-1)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}
