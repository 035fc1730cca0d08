// Package integrity sums up what SQLite's integrity check says.
package integrity

import (
	"fmt"
	"regexp"
	"slices"
)

// How SQLite begins what it says of a tree of pages, and of an index.
var (
	aboutTree  = regexp.MustCompile(`^Tree (\d+) (.*)$`)
	aboutIndex = regexp.MustCompile(`index (\w+)$`)
)

// Sum sums up what SQLite found, in order of what it is about: a line for each table or
// index. names are those of tables and indexes, by their root page.
func Sum(lines []string, names map[string]string) []string {
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
