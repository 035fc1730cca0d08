package wslog

import (
	"bytes"
	"encoding/json"
)

// maxDepth bounds the nesting of a line. Messages have five levels at most.
const maxDepth = 64

// cursor walks over the JSON text of one line. After a mistake in the text bad
// is true and nothing else counts.
type cursor struct {
	b     []byte
	i     int
	depth int // containers that the cursor stands in
	bad   bool
	// scratch holds strings that had to be unescaped; earlier ones stay valid
	// until the next line.
	scratch []byte
}

func (c *cursor) reset(b []byte) {
	c.b, c.i, c.depth, c.bad = b, 0, 0, false
	c.scratch = c.scratch[:0]
}

func (c *cursor) fail() {
	c.bad = true
	c.i = len(c.b)
}

// peek skips white space and returns the next byte, or 0 at the end.
func (c *cursor) peek() byte {
	for c.i < len(c.b) {
		switch ch := c.b[c.i]; ch {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return ch
		}
	}
	return 0
}

// atEnd reports whether nothing but white space is left.
func (c *cursor) atEnd() bool { return c.peek() == 0 && c.i >= len(c.b) }

// enter takes the opening byte of an object or an array.
func (c *cursor) enter(open byte) bool {
	if c.peek() != open || c.depth == maxDepth {
		c.fail()
		return false
	}
	c.depth++
	c.i++
	return true
}

// more stands before an element of an array (close ']') or a member of an
// object (close '}'), first or not, and reports whether there is one; the
// separating comma or the closing byte is taken.
func (c *cursor) more(first bool, end byte) bool {
	switch ch := c.peek(); {
	case c.bad:
		return false
	case ch == end:
		c.depth--
		c.i++
		return false
	case first:
		return true
	case ch == ',':
		c.i++
		return true
	}
	c.fail()
	return false
}

// key takes the next member's name and its colon.
func (c *cursor) key() []byte {
	if c.peek() != '"' {
		c.fail()
		return nil
	}
	k := c.str()
	if c.i < len(c.b) && c.b[c.i] == ':' {
		c.i++
		return k
	}
	if c.peek() != ':' {
		c.fail()
		return nil
	}
	c.i++
	return k
}

// str takes a string, whose opening quote is next, and returns its text.
func (c *cursor) str() []byte {
	start := c.i + 1
	i := start
	for i < len(c.b) && plain[c.b[i]] {
		i++
	}
	if i < len(c.b) && c.b[i] == '"' {
		c.i = i + 1
		return c.b[start:i]
	}
	c.i = i
	return c.escaped(start)
}

// plain holds the bytes that stand for themselves within a string.
var plain = func() (t [256]bool) {
	for ch := 0x20; ch < len(t); ch++ {
		t[ch] = ch != '"' && ch != '\\'
	}
	return t
}()

// escaped finishes a string that holds an escape, or is not closed; c.i stands
// at the byte that is not plain.
func (c *cursor) escaped(start int) []byte {
	for c.i < len(c.b) {
		switch ch := c.b[c.i]; {
		case ch == '"':
			c.i++
			return c.unescape(c.b[start-1 : c.i])
		case ch == '\\':
			c.i += 2 // what follows is checked when it is unescaped
		case ch < 0x20:
			c.fail()
			return nil
		default:
			c.i++
		}
	}
	c.fail()
	return nil
}

func (c *cursor) unescape(quoted []byte) []byte {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		c.fail()
		return nil
	}
	from := len(c.scratch)
	c.scratch = append(c.scratch, s...)
	return c.scratch[from:len(c.scratch):len(c.scratch)]
}

// scalar takes a string or a number and returns its text. Null gives nil and
// ok; anything else is skipped and not ok.
func (c *cursor) scalar() (text []byte, null, ok bool) {
	switch ch := c.peek(); {
	case ch == '"':
		return c.str(), false, true
	case ch == '-' || ch >= '0' && ch <= '9':
		start := c.i
		c.number()
		return c.b[start:c.i], false, true
	case ch == 'n':
		c.literal("null")
		return nil, true, true
	}
	c.skip()
	return nil, false, false
}

func (c *cursor) literal(word string) {
	if !bytes.HasPrefix(c.b[c.i:], []byte(word)) {
		c.fail()
		return
	}
	c.i += len(word)
}

// number takes a number of JSON's grammar.
func (c *cursor) number() {
	if c.i < len(c.b) && c.b[c.i] == '-' {
		c.i++
	}
	switch {
	case c.i < len(c.b) && c.b[c.i] == '0':
		c.i++
	case !c.digits():
		return
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		c.i++
		if !c.digits() {
			return
		}
	}
	if c.i < len(c.b) && (c.b[c.i] == 'e' || c.b[c.i] == 'E') {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		c.digits()
	}
}

// digits takes one or more digits.
func (c *cursor) digits() bool {
	start := c.i
	for c.i < len(c.b) && c.b[c.i]-'0' <= 9 {
		c.i++
	}
	if c.i == start {
		c.fail()
		return false
	}
	return true
}

// skip takes a value of any kind.
func (c *cursor) skip() {
	switch ch := c.peek(); {
	case ch == '"':
		c.str()
	case ch == '{':
		c.enter('{')
		for first := true; c.more(first, '}'); first = false {
			if c.key(); !c.bad {
				c.skip()
			}
		}
	case ch == '[':
		c.enter('[')
		for first := true; c.more(first, ']'); first = false {
			c.skip()
		}
	case ch == '-' || ch >= '0' && ch <= '9':
		c.number()
	case ch == 't':
		c.literal("true")
	case ch == 'f':
		c.literal("false")
	case ch == 'n':
		c.literal("null")
	default:
		c.fail()
	}
}
