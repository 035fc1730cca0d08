package wslog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"time"
	"unicode/utf8"
)

// node is a JSON value; the members of an object keep their order.
type node struct {
	kind byte // o, a, s(tring), n(umber), b(ool), 0 (null)
	text string
	keys []string
	vals []*node
}

func parseTree(line []byte) (*node, error) {
	if !json.Valid(line) || !utf8.Valid(line) {
		return nil, errors.New("not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return readNode(d, 0)
}

func readNode(d *json.Decoder, depth int) (*node, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Delim:
		if depth == 64 {
			return nil, errors.New("too deep")
		}
		n := &node{kind: 'a'}
		if v == '{' {
			n.kind = 'o'
		}
		for d.More() {
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, key.(string))
			}
			child, err := readNode(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.vals = append(n.vals, child)
		}
		_, err := d.Token()
		return n, err
	case string:
		return &node{kind: 's', text: v}, nil
	case json.Number:
		return &node{kind: 'n', text: v.String()}, nil
	case bool:
		return &node{kind: 'b', text: fmt.Sprint(v)}, nil
	}
	return &node{kind: '0'}, nil
}

// last returns the last member of one of these names, or nil.
func (n *node) last(names ...string) *node {
	var found *node
	for i, k := range n.keys {
		for _, name := range names {
			if k == name {
				found = n.vals[i]
			}
		}
	}
	return found
}

func (n *node) each(name string, f func(*node)) {
	for i, k := range n.keys {
		if k == name {
			f(n.vals[i])
		}
	}
}

// scalarText returns the text of a string or number; empty for null and nil.
func scalarText(n *node) (string, bool) {
	if n == nil {
		return "", true
	}
	return n.text, n.kind == 's' || n.kind == 'n' || n.kind == '0'
}

var decimalText = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// exact reads a decimal number in units of 10^-decimals.
func exact(s string, decimals int64) (*big.Int, bool) {
	if !decimalText.MatchString(s) {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)))
	if !r.IsInt() || !r.Num().IsInt64() {
		return nil, false
	}
	return r.Num(), true
}

func refPrice(n *node) (int64, bool) {
	s, ok := scalarText(n)
	v, good := exact(s, 4)
	if !ok || !good || v.Sign() < 0 || v.Int64() > 10_000 {
		return 0, false
	}
	return v.Int64(), true
}

func refSize(n *node) (int64, bool) {
	s, ok := scalarText(n)
	v, good := exact(s, 6)
	if !ok || !good || v.Sign() < 0 {
		return 0, false
	}
	return v.Int64(), true
}

var (
	plainTimeText = regexp.MustCompile(`^[0-9]{1,19}(\.[0-9]+)?$`)
	zonedTimeText = regexp.MustCompile(`^[0-9]{4}-`)
)

// refTime returns microseconds; empty is 0.
func refTime(n *node) (int64, bool) {
	s, ok := scalarText(n)
	if !ok {
		return 0, false
	}
	if s == "" {
		return 0, true
	}
	var us *big.Rat
	switch {
	case plainTimeText.MatchString(s):
		us, _ = new(big.Rat).SetString(s)
		whole := new(big.Int).Quo(us.Num(), us.Denom())
		unit := big.NewRat(1_000_000, 1)
		for _, step := range []int64{100_000_000_000, 100_000_000_000_000, 100_000_000_000_000_000} {
			if whole.Cmp(big.NewInt(step)) >= 0 {
				unit.Mul(unit, big.NewRat(1, 1000))
			}
		}
		us.Mul(us, unit)
	case zonedTimeText.MatchString(s):
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return 0, false
		}
		us = big.NewRat(t.UnixMicro(), 1)
	default:
		v, good := exact(s, 6)
		if !good {
			return 0, false
		}
		us = new(big.Rat).SetInt(v)
		if v.CmpAbs(big.NewInt(100_000_000_000_000_000)) >= 0 {
			us.Mul(us, big.NewRat(1, 1000))
		}
	}
	v := new(big.Int).Div(us.Num(), us.Denom()) // towards the past
	whole := v.Int64()                          // 0: not given
	return whole, v.IsInt64() && (whole == 0 || whole >= 1_000_000_000_000_000 && whole < 4_102_444_800_000_000)
}

func refID(n *node) (string, bool) {
	s, ok := scalarText(n)
	if !ok || len(s) > 200 {
		return "", false
	}
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return "", false
		}
	}
	return s, true
}
