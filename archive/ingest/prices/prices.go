// Package prices reads bare prices, from sources with neither book nor quote:
// the exchange's price history, and tables of t and p.
package prices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Needs returns the columns that identify a table of prices.
func Needs() []rows.Want {
	return append(rows.Needs("t", rows.Times...), rows.Needs("p", rows.Numbers...)...)
}

// Errors of files of which nothing can be taken.
var (
	// ErrToken: nothing says of which token the prices are.
	ErrToken = errors.New("no token given: use --token, put asset_id beside history, or name the file after the token")
	// ErrUnknown: no metadata says of which market the token is.
	ErrUnknown = errors.New("no market in the archive has this token: import its metadata first, or with it (--markets)")
	errLong    = fmt.Errorf("a price history of more than %d MiB", maxHistory>>20)
)

// UnknownToken says that no metadata tells of which market a row's token is.
const UnknownToken stream.Reason = "no market in the archive has this token"

// maxHistory is the longest price history in JSON, in bytes.
const maxHistory = 32 << 20

// Options supply what a file does not say.
type Options struct {
	// Token is a token id; empty: the one that the file names, else the one that
	// its name has.
	Token string
	// MarketOf returns the id by which the archive knows the market of a token;
	// empty: it knows none.
	MarketOf func(ctx context.Context, token string) (string, error)
}

// named is what a file says, beside the prices, of what they are of.
type named struct{ token, market, slug, label string }

// tokenID finds a token id in the name of a file: they are long numbers.
var tokenID = regexp.MustCompile(`[0-9]{20,}`)

// fill completes what prices are of. file is the name of the file.
func (n *named) fill(ctx context.Context, file string, o Options) error {
	if o.Token != "" {
		n.token = o.Token
	}
	if n.token == "" && n.label == "" {
		n.token = tokenID.FindString(filepath.Base(file))
	}
	if n.token == "" && (n.label == "" || n.market == "" && n.slug == "") {
		return ErrToken
	}
	for _, id := range []string{n.token, n.market, n.slug} {
		if id != "" && !scalar.ID([]byte(id)) {
			return fmt.Errorf("%q: %s", id, scalar.BadID)
		}
	}
	if n.market != "" || n.slug != "" {
		return nil
	}
	var err error
	if n.market, err = o.MarketOf(ctx, n.token); err == nil && n.market == "" {
		err = fmt.Errorf("token %s: %w", n.token, ErrUnknown)
	}
	return err
}

// message is one price; at and price say whether its time and it could be read.
func (n *named) message(recv market.Instant, at stream.Reason, p market.Price, price stream.Reason) stream.Message {
	if at == stream.OK && recv == 0 {
		at = stream.NoTime
	}
	if r := cmp.Or(at, price); r != stream.OK {
		return stream.Message{Reject: r}
	}
	return stream.Message{
		Type: stream.Price, Recv: recv, Trade: market.Trade{Price: p},
		Market: []byte(n.market), Slug: []byte(n.slug), Asset: []byte(n.token), Label: []byte(n.label),
	}
}

// RecogniseJSON reports whether a file is a price history: an object with a
// member history of prices, or its beginning.
func RecogniseJSON(prefix []byte) bool {
	var c jsonlex.Cursor
	c.Reset(wholeRunes(prefix))
	if c.Peek() != '{' {
		return false
	}
	for name := range c.Members() {
		if string(name) != "history" {
			c.Skip()
			continue
		}
		if c.Peek() != '[' {
			return false
		}
		c.Enter('[')
		if c.Peek() == ']' {
			return !c.Bad
		}
		_, _, is := point(&c)
		return is
	}
	return false
}

// wholeRunes leaves out what a cut of the text may have torn at its end.
func wholeRunes(b []byte) []byte {
	for i := 1; i <= 3 && i <= len(b); i++ {
		if b[len(b)-i] >= 0xc0 {
			return b[:len(b)-i]
		}
	}
	return b
}

// point reads {"t": …, "p": …}. is: it has both members.
func point(c *jsonlex.Cursor) (t, p []byte, is bool) {
	if c.Peek() != '{' {
		c.Skip()
		return nil, nil, false
	}
	var hasT, hasP bool
	for key := range c.Members() {
		switch string(key) {
		case "t":
			t, _, hasT = c.Scalar()
		case "p":
			p, _, hasP = c.Scalar()
		default:
			c.Skip()
		}
	}
	return t, p, hasT && hasP && !c.Bad
}

// ImportJSON reads a price history to its end, as stream.Import does. file is
// its name.
func ImportJSON(ctx context.Context, r io.Reader, file string, o Options, to stream.Sink) (messages int64, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxHistory+1))
	if err != nil {
		return 0, err
	}
	if len(text) > maxHistory {
		return 0, errLong
	}
	h := &history{}
	from := h.head(text)
	if h.c.Bad || from < 0 {
		return 0, fmt.Errorf("price history: %s", stream.BadJSON)
	}
	if err := h.of.fill(ctx, file, o); err != nil {
		return 0, err
	}
	h.c.Reset(text[from:])
	h.c.Enter('[')
	return stream.Import(ctx, h, to)
}

// history is the array of prices of a price history.
type history struct {
	of   named
	c    jsonlex.Cursor
	n    int64
	at   int // where the price read last begins
	msgs [1]stream.Message
}

// head goes over the whole text for what it says beside the prices and returns
// where these begin; -1: nowhere.
func (h *history) head(text []byte) (from int) {
	from = -1
	h.c.Reset(text)
	for name := range h.c.Members() {
		into := (*string)(nil)
		switch string(name) {
		case "history":
			if h.c.Peek() == '[' {
				from = h.c.At
			}
		case "asset_id", "token_id", "token":
			into = &h.of.token
		case "condition_id":
			into = &h.of.market
		case "slug":
			into = &h.of.slug
		case "outcome":
			into = &h.of.label
		}
		if into == nil {
			h.c.Skip()
			continue
		}
		said, _, _ := h.c.Scalar()
		*into = string(said)
	}
	if !h.c.AtEnd() {
		h.c.Fail()
	}
	return from
}

func (h *history) Next() ([]stream.Message, error) {
	if !h.c.More(h.n == 0, ']') {
		return nil, io.EOF
	}
	h.n++
	h.c.Peek()
	h.at = h.c.At
	t, p, is := point(&h.c)
	h.msgs[0] = h.read(t, p, is)
	return h.msgs[:], nil
}

func (h *history) Line() (int64, []byte) { return h.n, h.c.Text[h.at:h.c.At] }

func (h *history) read(t, p []byte, is bool) stream.Message {
	if !is {
		return stream.Message{Reject: stream.NotAMessage}
	}
	if len(t) == 0 {
		return stream.Message{Reject: stream.NoTime}
	}
	recv, at := scalar.Time(t)
	price, r := scalar.Price(p)
	return h.of.message(recv, at, price, r)
}

// idColumns are the columns by which a table may name the token of a row.
var idColumns = [...]string{"asset_id", "token_id"}

// ImportParquet reads a Parquet table of prices, as ImportJSON does a history.
func ImportParquet(ctx context.Context, p *rows.Parquet, file string, o Options, to stream.Sink) (messages int64, err error) {
	return importTable(ctx, p.Columns(), p.Read, file, o, to)
}

// ImportCSV reads a CSV table of prices, as ImportJSON does a history.
func ImportCSV(ctx context.Context, r io.Reader, file string, o Options, to stream.Sink) (messages int64, err error) {
	c, err := rows.OpenCSV(r)
	if err != nil {
		return 0, err
	}
	return importTable(ctx, c.Columns(), c.Read, file, o, to)
}

func importTable(ctx context.Context, have []rows.Column, read func(...string) (rows.Table, error), file string, o Options, to stream.Sink) (int64, error) {
	names := []string{"t", "p"}
	for _, id := range idColumns {
		if slices.ContainsFunc(have, func(c rows.Column) bool { return c.Name == id && c.Kind == rows.Text }) {
			names = append(names, id)
			break
		}
	}
	s := &table{ctx: ctx, o: o, file: file, known: map[string]*named{}, own: len(names) > 2 && o.Token == ""}
	if !s.own {
		names = names[:2]
		s.of = &named{}
		if err := s.of.fill(ctx, file, o); err != nil {
			return 0, err
		}
	}
	var err error
	if s.t, err = read(names...); err != nil {
		return 0, err
	}
	return stream.Import(ctx, s, to)
}

// table is a table of prices.
type table struct {
	ctx  context.Context // of the import, for looking up tokens
	t    rows.Table
	o    Options
	file string
	own  bool // each row names its token
	// known are the tokens looked up, nil those that the archive does not know.
	known map[string]*named
	of    *named
	msgs  [1]stream.Message
}

// maxKnown bounds the tokens that are remembered.
const maxKnown = 100_000

func (s *table) Next() ([]stream.Message, error) {
	if err := s.t.Next(); err != nil {
		return nil, err
	}
	of := s.of
	if s.own {
		var err error
		if of, err = s.named(string(s.t.Text(2))); err != nil {
			return nil, err
		}
	}
	s.msgs[0] = s.read(of)
	return s.msgs[:], nil
}

func (s *table) Line() (int64, []byte) {
	if s.own {
		return s.t.Row(), s.t.Text(2)
	}
	return s.t.Row(), []byte(s.of.token)
}

// named returns what a row's token is of, nil when nothing says.
func (s *table) named(token string) (*named, error) {
	if of, ok := s.known[token]; ok {
		return of, nil
	}
	of := &named{token: strings.Clone(token)}
	err := of.fill(s.ctx, "", Options{MarketOf: s.o.MarketOf})
	switch {
	case errors.Is(err, ErrUnknown), errors.Is(err, ErrToken), err != nil && !scalar.ID([]byte(token)):
		of = nil
	case err != nil:
		return nil, err
	}
	if len(s.known) == maxKnown {
		clear(s.known)
	}
	s.known[token] = of
	return of, nil
}

func (s *table) read(of *named) stream.Message {
	if of == nil {
		return stream.Message{Reject: UnknownToken}
	}
	recv, at := s.t.Time(0)
	p, r := s.t.Price(1)
	return of.message(recv, at, p, r)
}
