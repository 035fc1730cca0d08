package rows

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// Kind is the type of the cells of a column.
type Kind uint8

// Kinds of column. The cells of a CSV file are all Text.
const (
	Other   Kind = iota // anything else, flags too
	Text                // text or bytes
	Integer             // whole numbers
	Real                // floating-point numbers
	Decimal             // decimals of a fixed scale
	Time                // instants
	List                // lists of text or numbers
)

// String returns the name of k in messages.
func (k Kind) String() string {
	switch k {
	case Text:
		return "text"
	case Integer:
		return "integer"
	case Real:
		return "real"
	case Decimal:
		return "decimal"
	case Time:
		return "timestamp"
	case List:
		return "list"
	}
	return "other"
}

// Numbers are the kinds that prices and sizes come in, Times those of instants.
var (
	Numbers = []Kind{Text, Integer, Real, Decimal}
	Times   = []Kind{Text, Integer, Real, Time}
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Want is a column that a format needs, with the kinds it may have.
type Want struct {
	Name  string
	Kinds []Kind
}

// Needs makes a list of wanted columns: space-separated names, each of one of
// the kinds.
func Needs(names string, kinds ...Kind) []Want {
	var out []Want
	for n := range strings.FieldsSeq(names) {
		out = append(out, Want{n, kinds})
	}
	return out
}

// Names returns the names of columns, as Read takes them.
func Names(want []Want) []string {
	out := make([]string, len(want))
	for i, w := range want {
		out[i] = w.Name
	}
	return out
}

// Missing returns the names of the wanted columns that are absent from have, or
// have another kind there.
func Missing(have []Column, want []Want) []string {
	var out []string
	for _, w := range want {
		if !slices.ContainsFunc(have, func(c Column) bool { return c.Name == w.Name && slices.Contains(w.Kinds, c.Kind) }) {
			out = append(out, w.Name)
		}
	}
	return out
}

// Table is a table read row by row. Cells belong to the current row and are
// indexed by the position of their column among those requested; their values
// are valid until the next row.
type Table interface {
	// Next goes to the next row; io.EOF after the last, or why it cannot go on.
	Next() error
	Row() int64 // number of the row, from 1
	Null(i int) bool
	Text(i int) []byte
	Int(i int) (int64, bool)
	Flag(i int) bool // true of a flag, or of a number or text that says so
	Price(i int) (market.Price, scalar.Reason)
	Size(i int) (market.Size, scalar.Reason)
	Time(i int) (market.Instant, scalar.Reason)
	// Len, PriceAt and SizeAt are of a column of lists.
	Len(i int) int
	PriceAt(i, k int) (market.Price, scalar.Reason)
	SizeAt(i, k int) (market.Size, scalar.Reason)
}

func appendReal(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'f', -1, 64) }
