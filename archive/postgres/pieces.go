package postgres

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
)

// A text of one or two letters is no trigram, so the index of texts does not know it. The
// table pieces has all three letters that stand side by side in some text: those that have
// the text in them are found by the index, and where there are none no row has it.

// piece is three letters that stand side by side, 21 bits each.
type piece uint64

const letterBits = 21

// pieceOf returns a text of three letters as a piece.
func pieceOf(text string) (p piece) {
	for _, r := range text {
		p = p.then(r)
	}
	return p
}

// then returns the piece of the last two letters and another.
func (p piece) then(r rune) piece { return (p<<letterBits | piece(r)) & (1<<(3*letterBits) - 1) }

func (p piece) String() string {
	const letter = 1<<letterBits - 1
	return string([]rune{rune(p >> (2 * letterBits)), rune(p >> letterBits & letter), rune(p & letter)})
}

// separator stands between the two texts of a column search.
const separator = "\x1f"

// maxPieces is how many pieces are looked up for one text: what has more is common.
const maxPieces = 64

// kinds are the tables whose texts pieces are of.
var kinds = map[string]store.ClaimKind{"markets": store.MarketClaim, "events": store.EventClaim}

// piecesOf passes the pieces of a column search, which has a separator at either end, until
// one is not wanted: each letter is in the middle of one, each two letters are the last of one.
func piecesOf(search string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		var p piece
		for i, r := range separator + search + separator {
			if p = p.then(r); i > 1 && !yield(p) {
				return
			}
		}
	}
}

// putPieces puts those that the table does not have.
func (b *batch) putPieces(kind store.ClaimKind, all map[piece]bool) {
	texts := make([]string, 0, len(all))
	for _, p := range slices.Sorted(maps.Keys(all)) {
		texts = append(texts, p.String())
	}
	b.add("pieces", `INSERT INTO pieces (kind, piece) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, int16(kind), texts)
}

// around returns patterns of LIKE, one of which each row with a text of one or two letters
// matches; none: no row has it. known: the index of texts finds what matches them, and
// pieces are no more than maxPieces.
func (t *tx) around(ctx context.Context, table, text string) (patterns []string, known bool, err error) {
	like := "_" + literal(text)
	if len([]rune(text)) == 1 {
		like += "_"
	}
	query := fmt.Sprintf(`SELECT piece FROM pieces WHERE kind = $1 AND piece LIKE $2 ORDER BY piece LIMIT %d`, maxPieces+1)
	known = true
	n := 0
	err = t.each(ctx, query, []any{int16(kinds[table]), like}, func(r pgx.Rows) error {
		var p string
		err := r.Scan(&p)
		n++
		patterns = append(patterns, pattern(p))
		if begins, ok := strings.CutPrefix(p, separator); ok {
			patterns = append(patterns, literal(begins)+"%")
		}
		if ends, ok := strings.CutSuffix(p, separator); ok {
			patterns = append(patterns, "%"+literal(ends))
		}
		letters := []rune(p)
		known = known && len(letters) == 3 && (inWord(letters[1]) || inWord(letters[2]))
		return err
	})
	return patterns, known && n <= maxPieces, err
}

// inWord reports whether a letter is part of a word in every database.
func inWord(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }

// lacking returns how many rows of a table cannot be found by each letter of their text.
func (t *tx) lacking(ctx context.Context, table string) (n int, err error) {
	known := map[piece]bool{}
	err = t.each(ctx, `SELECT piece FROM pieces WHERE kind = $1`, []any{int16(kinds[table])}, func(r pgx.Rows) error {
		var text string
		err := r.Scan(&text)
		known[pieceOf(text)] = true
		return err
	})
	if err != nil {
		return 0, err
	}
	err = t.each(ctx, `SELECT search FROM `+table, nil, func(r pgx.Rows) error {
		var search string
		err := r.Scan(&search)
		for p := range piecesOf(search) {
			if !known[p] {
				n++
				break
			}
		}
		return err
	})
	return n, err
}
