package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
)

// maxJSONLine is the longest line of a table in JSON lines, in bytes.
const maxJSONLine = 16 << 20

// ErrLines says that a file is no table in JSON lines that is read.
var ErrLines = errors.New("not a table in JSON lines")

// Members returns the columns of a table in JSON lines, which are the members of the
// object on the first line, or nil if it has none. prefix is the beginning of the
// file. Cells are Text like those of CSV, whatever they hold.
func Members(prefix []byte) []Column {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(prefix, byteOrderMark), []byte("\n"))
	var out []Column
	ok := members(line, func(name, _ []byte) {
		out = append(out, Column{Name: string(name), Kind: Text})
	})
	if !ok || len(out) < 2 {
		return nil
	}
	return out
}

// members passes the members of an object to f: a name and the value, text without its
// quotes, null as nil, lists and objects as they are written. It reports whether the
// line is an object.
func members(line []byte, f func(name, value []byte)) bool {
	var c jsonlex.Cursor
	c.Reset(line)
	if c.Peek() != '{' {
		return false
	}
	for name := range c.Members() {
		var value []byte
		switch ch := c.Peek(); ch {
		case '[', '{', 't', 'f':
			from := c.At
			c.Skip()
			value = c.Text[from:c.At]
		default:
			value, _, _ = c.Scalar()
		}
		if !c.Bad {
			f(name, value)
		}
	}
	return !c.Bad && c.AtEnd()
}

// Lines is a table in JSON lines whose first line was read.
type Lines struct {
	r     *bufio.Scanner
	first []byte
	have  []Column
}

// OpenLines reads the first line of a table in JSON lines.
func OpenLines(r io.Reader) (*Lines, error) {
	l := &Lines{r: bufio.NewScanner(r)}
	l.r.Buffer(make([]byte, 0, 64<<10), maxJSONLine)
	if !l.r.Scan() {
		return nil, fmt.Errorf("%w: it has no first line: %w", ErrLines, cmp.Or(l.r.Err(), io.ErrUnexpectedEOF))
	}
	l.first = bytes.Clone(bytes.TrimPrefix(l.r.Bytes(), byteOrderMark))
	if l.have = Members(l.first); l.have == nil {
		return nil, fmt.Errorf("%w: its first line is no object", ErrLines)
	}
	return l, nil
}

// Read begins to read the named columns, in that order. It is called once. A member
// that a line lacks is null there, and one that the first line lacks is not read.
func (l *Lines) Read(names ...string) (Table, error) {
	index := make(map[string]int, len(l.have))
	for i, c := range l.have {
		index[c.Name] = i
	}
	cells := make([]string, len(l.have))
	t := &csvTable{r: l.r, first: l.first, split: func(line []byte) ([]string, bool) {
		clear(cells)
		ok := members(line, func(name, value []byte) {
			if at, known := index[string(name)]; known {
				cells[at] = string(value)
			}
		})
		return cells, ok
	}}
	return t, t.want(l.have, names)
}

// textLevel is a level of a list in text.
type textLevel struct {
	price, size []byte
	bad         bool
}

// textLists are the lists of the row at hand by position of the column; nil: not read
// yet.
type textLists [][]textLevel

// levelsOf reads levels as [[price,size],…]; what is none is one bad level. Nothing is
// an empty list, like null.
func levelsOf(cell string) []textLevel {
	out := []textLevel{}
	if cell == "" {
		return out
	}
	var c jsonlex.Cursor
	c.Reset([]byte(cell))
	wrong := []textLevel{{bad: true}}
	if c.Peek() != '[' {
		return wrong
	}
	for range c.Elements {
		if c.Peek() != '[' {
			return wrong
		}
		var pair [2][]byte
		n := 0
		for range c.Elements {
			text, null, ok := c.Scalar()
			if null || !ok || n == len(pair) {
				return wrong
			}
			pair[n] = text
			n++
		}
		if n < len(pair) {
			return wrong
		}
		out = append(out, textLevel{price: pair[0], size: pair[1]})
	}
	if c.Bad || !c.AtEnd() {
		return wrong
	}
	return out
}
