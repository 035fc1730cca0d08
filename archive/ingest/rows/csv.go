package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// maxCSVLine is the longest line of a CSV file, in bytes.
const maxCSVLine = 1 << 20

// ErrCSV says that a file is no CSV that is read.
var ErrCSV = errors.New("not a CSV file")

// Header returns the columns named by the first line of a CSV file, or nil if
// it is not one. prefix is the beginning of the file.
func Header(prefix []byte) []Column {
	line, _, _ := bytes.Cut(prefix, []byte("\n"))
	fields, err := fieldsOf(bytes.TrimPrefix(line, byteOrderMark))
	if err != nil || len(fields) < 2 {
		return nil
	}
	var out []Column
	for _, f := range fields {
		if len(f) == 0 || len(f) > 100 || !scalar.ID([]byte(f)) {
			return nil
		}
		out = append(out, Column{Name: f, Kind: Text})
	}
	return out
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func fieldsOf(line []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(line))
	r.FieldsPerRecord = -1
	return r.Read()
}

// csvTable reads some columns of a file of text. A record stands on one line.
type csvTable struct {
	r      *bufio.Scanner
	index  []int
	row    int64
	fields []string
	bad    bool // the line at hand is no record of the file
	lines  bool // CSV.Lines
	text   []byte
	// split returns the cells of a line, one for each column of the file; false: it
	// is no record.
	split func(line []byte) ([]string, bool)
	// first is a line that has been read already; nil: none.
	first []byte
	lists textLists
}

// CSV is a CSV file whose header was read.
type CSV struct {
	// Lines: a record may stand on several lines, within quotes.
	Lines bool

	r    *bufio.Scanner
	have []Column
}

// OpenCSV reads the header of a CSV file.
func OpenCSV(r io.Reader) (*CSV, error) {
	c := &CSV{r: bufio.NewScanner(r)}
	c.r.Buffer(make([]byte, 0, 64<<10), maxCSVLine)
	if !c.r.Scan() {
		return nil, fmt.Errorf("%w: it has no first line: %w", ErrCSV, cmp.Or(c.r.Err(), io.ErrUnexpectedEOF))
	}
	c.have = Header(c.r.Bytes())
	return c, nil
}

// Columns returns the columns that the header names.
func (c *CSV) Columns() []Column { return c.have }

// Read begins to read the named columns, in that order. It is called once.
func (c *CSV) Read(names ...string) (Table, error) {
	t := &csvTable{r: c.r, lines: c.Lines, split: func(line []byte) ([]string, bool) {
		fields, err := fieldsOf(line)
		return fields, err == nil && len(fields) == len(c.have)
	}}
	return t, t.want(c.have, names)
}

// want finds the named columns among those that there are. The lists of prices and
// sizes of a column of levels, "bids.price", are read from its text.
func (t *csvTable) want(have []Column, names []string) error {
	for _, name := range names {
		at := slices.IndexFunc(have, func(c Column) bool { return c.Name == name })
		if base, part, ok := strings.Cut(name, "."); at < 0 && ok && (part == "price" || part == "size") {
			at = slices.IndexFunc(have, func(c Column) bool { return c.Name == base })
		}
		if at < 0 {
			return fmt.Errorf("%w: %s", ErrColumn, name)
		}
		t.index = append(t.index, at)
	}
	t.lists = make(textLists, len(t.index))
	return nil
}

// Next advances to the next non-empty line. In a line that is not a valid
// record, all cells are null.
func (t *csvTable) Next() error {
	for t.scan() {
		t.row++
		t.text = bytes.TrimSuffix(t.text, []byte("\r"))
		if len(t.text) == 0 {
			continue
		}
		t.join()
		var ok bool
		t.fields, ok = t.split(t.text)
		t.bad = !ok
		clear(t.lists)
		return nil
	}
	if err := t.r.Err(); err != nil {
		return fmt.Errorf("line %d: %w", t.row+2, err)
	}
	return io.EOF
}

// scan goes to the next line.
func (t *csvTable) scan() bool {
	if t.first != nil {
		t.text, t.first = t.first, nil
		return true
	}
	ok := t.r.Scan()
	t.text = t.r.Bytes()
	return ok
}

// join adds the lines that a record begun within quotes goes on for.
func (t *csvTable) join() {
	if !t.lines || bytes.Count(t.text, quote)%2 == 0 {
		return
	}
	t.text = bytes.Clone(t.text)
	for bytes.Count(t.text, quote)%2 != 0 && len(t.text) < maxCSVLine && t.r.Scan() {
		t.text = append(append(t.text, '\n'), t.r.Bytes()...)
	}
}

var quote = []byte(`"`)

// Row returns the number of the row below the header, from 1.
func (t *csvTable) Row() int64 { return t.row }

func (t *csvTable) cell(i int) string {
	if t.bad {
		return ""
	}
	return t.fields[t.index[i]]
}

func (t *csvTable) Null(i int) bool   { return t.cell(i) == "" }
func (t *csvTable) Text(i int) []byte { return []byte(t.cell(i)) }

func (t *csvTable) Int(i int) (int64, bool) {
	v, err := strconv.ParseInt(t.cell(i), 10, 64)
	return v, err == nil
}

func (t *csvTable) Flag(i int) bool {
	return t.cell(i) == "1" || strings.EqualFold(t.cell(i), "true")
}

func (t *csvTable) Price(i int) (market.Price, scalar.Reason) {
	if t.Null(i) {
		return 0, scalar.NoPrice
	}
	return scalar.Price(t.Text(i))
}

func (t *csvTable) Size(i int) (market.Size, scalar.Reason) { return scalar.Size(t.Text(i)) }

func (t *csvTable) Time(i int) (market.Instant, scalar.Reason) {
	if t.Null(i) {
		return 0, scalar.NoTime
	}
	return scalar.Time(t.Text(i))
}

func (t *csvTable) Len(i int) int { return len(t.levels(i)) }

func (t *csvTable) PriceAt(i, k int) (market.Price, scalar.Reason) {
	l := t.levels(i)[k]
	if l.bad {
		return 0, scalar.BadPrice
	}
	return scalar.Price(l.price)
}

func (t *csvTable) SizeAt(i, k int) (market.Size, scalar.Reason) {
	l := t.levels(i)[k]
	if l.bad {
		return 0, scalar.BadSize
	}
	return scalar.Size(l.size)
}

func (t *csvTable) levels(i int) []textLevel {
	if t.lists[i] == nil {
		t.lists[i] = levelsOf(t.cell(i))
	}
	return t.lists[i]
}
