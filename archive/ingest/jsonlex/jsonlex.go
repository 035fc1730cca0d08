// Package jsonlex scans JSON text without building values, for readers of many
// small documents that know what they are looking for. It accepts exactly what
// encoding/json considers valid, up to a maximum nesting depth.
package jsonlex

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// MaxDepth bounds the nesting. Messages have five levels at most.
const MaxDepth = 64

// Cursor scans one JSON text, such as a line. It is ready after Reset.
type Cursor struct {
	// Text is what is walked over, and At the next byte of it.
	Text []byte
	At   int
	// Bad: there is a mistake in the text. Nothing else counts then.
	Bad   bool
	depth int // containers that the cursor stands in
	// scratch holds strings that had to be unescaped; earlier ones stay valid
	// until the next line.
	scratch []byte
}

// Reset positions c at the start of text, which must be UTF-8.
func (c *Cursor) Reset(text []byte) {
	c.Text, c.At, c.depth, c.Bad = text, 0, 0, false
	c.scratch = c.scratch[:0]
	if !utf8.Valid(text) {
		c.Fail()
	}
}

// Fail marks the text as bad.
func (c *Cursor) Fail() {
	c.Bad = true
	c.At = len(c.Text)
}

// Peek skips white space and returns the next byte, or 0 at the end.
func (c *Cursor) Peek() byte {
	for c.At < len(c.Text) {
		switch ch := c.Text[c.At]; ch {
		case ' ', '\t', '\n', '\r':
			c.At++
		default:
			return ch
		}
	}
	return 0
}

// AtEnd reports whether nothing but white space is left.
func (c *Cursor) AtEnd() bool { return c.Peek() == 0 && c.At >= len(c.Text) }

// Enter consumes the opening byte of an object or an array.
func (c *Cursor) Enter(open byte) bool {
	if c.Peek() != open || c.depth == MaxDepth {
		c.Fail()
		return false
	}
	c.depth++
	c.At++
	return true
}

// More reports whether another element of an array (end ']') or member of an
// object (end '}') follows; first: none has been read yet. It consumes the
// separating comma or the closing byte.
func (c *Cursor) More(first bool, end byte) bool {
	switch ch := c.Peek(); {
	case c.Bad:
		return false
	case ch == end:
		c.depth--
		c.At++
		return false
	case first:
		return true
	case ch == ',':
		c.At++
		return true
	}
	c.Fail()
	return false
}

// Key consumes the next member's name and colon.
func (c *Cursor) Key() []byte {
	if c.Peek() != '"' {
		c.Fail()
		return nil
	}
	k := c.str()
	if c.At < len(c.Text) && c.Text[c.At] == ':' {
		c.At++
		return k
	}
	if c.Peek() != ':' {
		c.Fail()
		return nil
	}
	c.At++
	return k
}

// Members goes over the members of the object that follows, up to a mistake, by their
// names. Each value is to be consumed.
func (c *Cursor) Members() iter.Seq[[]byte] {
	return func(yield func(name []byte) bool) {
		if !c.Enter('{') {
			return
		}
		for first := true; c.More(first, '}'); first = false {
			if key := c.Key(); c.Bad || !yield(key) {
				return
			}
		}
	}
}

// Elements goes over the elements of the array that follows, up to a mistake, each of which
// is to be consumed.
func (c *Cursor) Elements(yield func() bool) {
	if !c.Enter('[') {
		return
	}
	for first := true; c.More(first, ']') && yield(); first = false {
	}
}

// str takes a string, whose opening quote is next, and returns its text.
func (c *Cursor) str() []byte {
	start := c.At + 1
	i := start
	for i < len(c.Text) && plain[c.Text[i]] {
		i++
	}
	if i < len(c.Text) && c.Text[i] == '"' {
		c.At = i + 1
		return c.Text[start:i]
	}
	c.At = i
	return c.escaped(start)
}

// plain holds the bytes that stand for themselves within a string.
var plain = func() (t [256]bool) {
	for ch := 0x20; ch < len(t); ch++ {
		t[ch] = ch != '"' && ch != '\\'
	}
	return t
}()

// escaped finishes a string that holds an escape, or is not closed; c.At stands
// at the byte that is not plain.
func (c *Cursor) escaped(start int) []byte {
	for c.At < len(c.Text) {
		switch ch := c.Text[c.At]; {
		case ch == '"':
			c.At++
			return c.unescape(c.Text[start-1 : c.At])
		case ch == '\\':
			c.At += 2 // what follows is checked when it is unescaped
		case ch < 0x20:
			c.Fail()
			return nil
		default:
			c.At++
		}
	}
	c.Fail()
	return nil
}

func (c *Cursor) unescape(quoted []byte) []byte {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		c.Fail()
		return nil
	}
	from := len(c.scratch)
	c.scratch = append(c.scratch, s...)
	return c.scratch[from:len(c.scratch):len(c.scratch)]
}

// Scalar consumes a string or a number and returns its text. Null gives nil and
// ok; anything else is skipped and not ok.
func (c *Cursor) Scalar() (text []byte, null, ok bool) {
	switch ch := c.Peek(); {
	case ch == '"':
		return c.str(), false, true
	case ch == '-' || ch >= '0' && ch <= '9':
		start := c.At
		c.number()
		return c.Text[start:c.At], false, true
	case ch == 'n':
		c.Literal("null")
		return nil, true, true
	}
	c.Skip()
	return nil, false, false
}

// Literal consumes a word such as null.
func (c *Cursor) Literal(word string) {
	if !bytes.HasPrefix(c.Text[c.At:], []byte(word)) {
		c.Fail()
		return
	}
	c.At += len(word)
}

// number takes a number of JSON's grammar.
func (c *Cursor) number() {
	if c.At < len(c.Text) && c.Text[c.At] == '-' {
		c.At++
	}
	switch {
	case c.At < len(c.Text) && c.Text[c.At] == '0':
		c.At++
	case !c.digits():
		return
	}
	if c.At < len(c.Text) && c.Text[c.At] == '.' {
		c.At++
		if !c.digits() {
			return
		}
	}
	if c.At < len(c.Text) && (c.Text[c.At] == 'e' || c.Text[c.At] == 'E') {
		c.At++
		if c.At < len(c.Text) && (c.Text[c.At] == '+' || c.Text[c.At] == '-') {
			c.At++
		}
		c.digits()
	}
}

// digits takes one or more digits.
func (c *Cursor) digits() bool {
	start := c.At
	for c.At < len(c.Text) && c.Text[c.At]-'0' <= 9 {
		c.At++
	}
	if c.At == start {
		c.Fail()
		return false
	}
	return true
}

// Skip consumes a value of any kind.
func (c *Cursor) Skip() {
	switch ch := c.Peek(); {
	case ch == '"':
		c.str()
	case ch == '{':
		for range c.Members() {
			c.Skip()
		}
	case ch == '[':
		for range c.Elements {
			c.Skip()
		}
	case ch == '-' || ch >= '0' && ch <= '9':
		c.number()
	case ch == 't':
		c.Literal("true")
	case ch == 'f':
		c.Literal("false")
	case ch == 'n':
		c.Literal("null")
	default:
		c.Fail()
	}
}
