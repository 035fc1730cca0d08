package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/indexes"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
)

// Check runs SQLite's own checks on the file. It returns one line for each
// damaged table or index, with the first problem found.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	l, err := s.readers.Take(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	defer s.readers.Give(l, true)
	sound := false
	lines, err := pragma(ctx, l, "quick_check")
	if len(lines) == 0 && err == nil {
		sound, err = indexes.Sound(ctx, l)
	}
	// Where it is not, looking each row up in each index tells what is wrong.
	if !sound && ctx.Err() == nil {
		lines, err = pragma(ctx, l, "integrity_check")
	}
	if len(lines) == 0 && err == nil {
		return s.derived(ctx, l)
	}
	names, _ := objects(ctx, l) // without them the lines are told as they are
	return flaws(lines, names), s.fail(err)
}

// pragma returns what one of SQLite's checks finds.
func pragma(ctx context.Context, l *pool.Link, name string) (lines []string, err error) {
	err = l.Each(ctx, `PRAGMA `+name+`(1000)`, nil, func(r *sql.Rows) error {
		var text string
		err := r.Scan(&text)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "ok" && !strings.HasPrefix(line, "*** in database") {
				lines = append(lines, line)
			}
		}
		return err
	})
	return lines, err
}

// named are rows that others name: a page that is as it was before may be without them.
// The series of an event is not among them: a copy that is not through has it later. Nor
// are the event and series of a market that no list has (yet): they are made for lists.
var named = []struct{ table, of, column, when string }{
	{"sources", "chunks", "source", "source NOT IN (SELECT id FROM sources)"}, {"sources", "parts", "source", "source NOT IN (SELECT id FROM sources)"},
	{"venues", "markets", "venue", "venue NOT IN (SELECT name FROM venues)"},
	// Both are gone through in the order of ids, of which there are many: nothing is held.
	{"events", "markets", "event", `category <> '' AND number IN (SELECT at FROM ids i WHERE kind = 5 AND NOT EXISTS (SELECT 1 FROM ids WHERE kind = 2 AND id = i.id))`},
	{"series", "markets", "series", `category <> '' AND series NOT IN (SELECT id FROM ids WHERE kind = 3)`},
}

// found are the rows that the table ids is made from.
var found = []struct {
	kind                store.ClaimKind
	table, id, at, when string
}{
	{store.MarketClaim, "markets", "id", "number", ""}, {store.EventClaim, "events", "id", "number", ""}, {store.SeriesClaim, "series", "id", "number", ""},
	{txn.TokenIDs, "tokens", "id", "market", ""}, {txn.EventsOf, "markets", "event", "number", " AND r.event <> 0"},
}

// lost looks for rows that others name, and compares the tables of ids with the rows that
// they are of.
func (s *Store) lost(ctx context.Context, l *pool.Link) (out []string, err error) {
	ids, err := indexes.IDs(ctx, l)
	if err != nil {
		return out, s.fail(err)
	}
	number := func(query string) (n int64) {
		if err == nil {
			err = l.Each(ctx, query, nil, func(r *sql.Rows) error { return r.Scan(&n) })
		}
		return n
	}
	for _, n := range named {
		if n.table == "events" && ids.Each[txn.EventsOf] == ids.Each[store.EventClaim] {
			continue // each event has a market, and there are no others that markets name
		}
		missing := number(fmt.Sprintf(`SELECT count(DISTINCT %[1]s) FROM %[2]s WHERE %[1]s <> 0 AND %[3]s`, n.column, n.of, n.when))
		if missing > 0 {
			out = append(out, fmt.Sprintf("table %s: %d rows are missing that table %s names", n.table, missing, n.of))
		}
	}
	for _, f := range found {
		var now indexes.Sums
		if err == nil {
			err = l.Each(ctx, fmt.Sprintf(`SELECT %s FROM %s r WHERE true%s`, indexes.Columns("r."+f.id, "r."+f.at), f.table, f.when), nil,
				func(r *sql.Rows) error { return r.Scan(&now.N, &now.IDs, &now.At) })
		}
		if now == ids.Rows[f.kind] {
			continue // in a hundredth of the time
		}
		const query = `SELECT (SELECT count(*) FROM %[2]s r WHERE NOT EXISTS (SELECT 1 FROM ids WHERE kind = %[1]d AND id = r.%[3]s AND at = r.%[4]s)%[5]s)
			+ (SELECT count(*) FROM ids i WHERE kind = %[1]d AND NOT EXISTS (SELECT 1 FROM %[2]s r WHERE r.%[3]s = i.id AND r.%[4]s = i.at))`
		if wrong := number(fmt.Sprintf(query, f.kind, f.table, f.id, f.at, f.when)); wrong > 0 {
			out = append(out, fmt.Sprintf("table ids: %d rows of %s are not found by column %s", wrong, f.table, f.id))
		}
	}
	if ids.Doubled > 0 {
		out = append(out, fmt.Sprintf("table ids: %d ids have two rows or more", ids.Doubled))
	}
	if ids.Unsifted > 0 {
		out = append(out, fmt.Sprintf("table ids: %d ids that went over are in no sieve", ids.Unsifted))
	}
	return out, s.fail(err)
}

// derived compares what rows and lists are looked up by with the rows that it was made
// from: the tables of ids and of tags, and the columns that searches look into. Rows that others
// name must be there.
func (s *Store) derived(ctx context.Context, l *pool.Link) ([]string, error) {
	out, err := s.lost(ctx, l)
	if err != nil {
		return out, err
	}
	tags, err := keptTags(ctx, l)
	if err != nil {
		return out, s.fail(err)
	}
	texts := map[store.ClaimKind]string{store.MarketClaim: "market_text(question, slug, venue_id)", store.EventClaim: "search"}
	for kind, name := range txn.Tables {
		rows, columns := rowSums{lists: map[string]uint64{}}, []string{"category", "tags"}
		if kind != store.MarketClaim { // which are searched in what they are called
			columns = append(columns, "title", "slug")
		}
		pages := 0
		if text := texts[kind]; text != "" {
			pages, err = grams.Check(ctx, l, kind, name, text+", updated_at, start_at, end_at", columns, rows.add)
		} else {
			err = l.EachRow(ctx, "SELECT number, search, category, tags, title, slug FROM "+name, nil, func(r *pool.Row) error {
				rows.add(grams.Row{Number: r.Int(), Text: r.Text()}, [][]byte{r.Bytes(), r.Bytes(), r.Bytes(), r.Bytes()})
				return nil
			})
		}
		same := rows.tags == tags[kind]
		if err == nil && !same {
			same, err = tagged(ctx, l, kind, name)
		}
		if err != nil {
			return out, s.fail(err)
		}
		if !same {
			out = append(out, fmt.Sprintf("table tags: does not match the tags of the %s", name))
		}
		if rows.unnamed > 0 {
			out = append(out, fmt.Sprintf("table %s: %d rows cannot be found by name", name, rows.unnamed))
		}
		if pages > 0 {
			out = append(out, fmt.Sprintf("table grams: %d pages of %s cannot be found by all of their text", pages, name))
		}
	}
	slices.Sort(out)
	return out, nil
}

// rowSums is what the rows of a table are looked up by.
type rowSums struct {
	tags    tagSums
	unnamed int64             // rows that are not searched in what they are called
	lists   map[string]uint64 // sums of hashes by categories and their lists of tags, of which many rows have the same
	list    []byte
}

// maxLists bounds the lists of tags that are known at a time.
const maxLists = 4096

// add adds a row, of which there are its category and its tags, and title and slug if its text
// is made of these.
func (s *rowSums) add(row grams.Row, of [][]byte) {
	if len(of) > 2 && store.SearchText(string(of[2]), string(of[3])) != row.Text {
		s.unnamed++
	}
	category := of[0]
	if len(category) == 0 {
		return
	}
	s.list = append(append(s.list[:0], category...), of[1]...)
	all, known := s.lists[string(s.list)]
	if !known {
		var tags []string
		if json.Unmarshal(of[1], &tags) != nil {
			s.tags.tags++ // as no tag does
		}
		slices.Sort(tags)
		for _, tag := range slices.Compact(tags) {
			all += tagHash([]byte(tag), category)
		}
		if len(s.lists) == maxLists {
			clear(s.lists)
		}
		s.lists[string(s.list)] = all
	}
	s.tags.add(all, 1, row.Number, row.Number*row.Number)
}

// tagSums are sums over tags, each with the number of a row that has it: equal ones are of
// the same tags.
type tagSums struct{ tags, owners, squares uint64 }

// add adds tags, by the sum of their hashes, that as many rows have.
func (s *tagSums) add(hashes uint64, n, owners, squares int64) {
	s.tags += hashes * uint64(n)
	s.owners += hashes * uint64(owners)
	s.squares += hashes * uint64(squares)
}

// tagHash is seeded anew by each program.
func tagHash(tag, category []byte) uint64 {
	return maphash.Comparable(tagSeed, [2]string{string(tag), string(category)})
}

var tagSeed = maphash.MakeSeed()

// keptTags sums up the table of tags, by kind.
func keptTags(ctx context.Context, l *pool.Link) (map[store.ClaimKind]tagSums, error) {
	out := map[store.ClaimKind]tagSums{}
	return out, l.Each(ctx, `SELECT kind, tag, category, sheet, rows FROM tags`, nil, func(r *sql.Rows) error {
		var kind store.ClaimKind
		var tag, category, rows sql.RawBytes
		var sheet, owners, squares int64
		err := r.Scan(&kind, &tag, &category, &sheet, &rows)
		numbers := grams.Numbers(sheet, rows)
		for _, n := range numbers {
			owners += n
			squares += n * n
		}
		of := out[kind]
		of.add(tagHash(tag, category), int64(len(numbers)), owners, squares)
		out[kind] = of
		return err
	})
}

// tagged reports whether the table of tags has those of the rows of a table. Sums that differ may be of
// two states of an archive that is written to meanwhile: those of one tell.
func tagged(ctx context.Context, l *pool.Link, kind store.ClaimKind, table string) (sound bool, err error) {
	if err := l.Exec(ctx, "BEGIN DEFERRED"); err != nil {
		return false, err
	}
	tags, err := keptTags(ctx, l)
	rows := rowSums{lists: map[string]uint64{}}
	if err == nil {
		err = l.EachRow(ctx, "SELECT number, category, tags FROM "+table, nil, func(r *pool.Row) error {
			rows.add(grams.Row{Number: r.Int()}, [][]byte{r.Bytes(), r.Bytes()})
			return nil
		})
	}
	return rows.tags == tags[kind], errors.Join(err, l.Exec(context.WithoutCancel(ctx), "ROLLBACK"))
}

// objects returns the names of tables and indexes, by their root page.
func objects(ctx context.Context, l *pool.Link) (map[string]string, error) {
	out := map[string]string{}
	err := l.Each(ctx, `SELECT rootpage, type, name FROM sqlite_schema WHERE rootpage > 0`, nil, func(r *sql.Rows) error {
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
