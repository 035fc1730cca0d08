package wslog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/market"
)

// The reference decoder: the same rules as the scanner's, over a tree that
// encoding/json reads, with exact rationals, and without a thought for speed.
// Both write what they found as text.

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

// scalar returns the text of a string or number; empty for null and nil.
func scalar(n *node) (string, bool) {
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
	s, ok := scalar(n)
	v, good := exact(s, 4)
	if !ok || !good || v.Sign() < 0 || v.Int64() > 10_000 {
		return 0, false
	}
	return v.Int64(), true
}

func refSize(n *node) (int64, bool) {
	s, ok := scalar(n)
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
	s, ok := scalar(n)
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
	return v.Int64(), v.IsInt64() && v.Sign() >= 0 && v.Int64() < 4_102_444_800_000_000
}

func refID(n *node) (string, bool) {
	s, ok := scalar(n)
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

// refMessage is a message read but not yet judged.
type refMessage struct {
	n    *node
	fine bool
	ids  map[string]string
	exch int64
}

func readMessage(n *node) refMessage {
	m := refMessage{n: n, fine: true, ids: map[string]string{}}
	for _, name := range []string{"asset_id", "market", "slug", "winning_asset_id"} {
		n.each(name, func(v *node) {
			id, ok := refID(v)
			m.fine = m.fine && ok
			m.ids[name] = id
		})
	}
	n.each("timestamp", func(v *node) {
		at, ok := refTime(v)
		m.fine = m.fine && ok
		m.exch = at
	})
	for _, side := range []string{"bids", "asks"} {
		n.each(side, func(v *node) {
			_, ok := refLevels(v)
			m.fine = m.fine && ok
		})
	}
	for _, name := range []string{"price_changes", "changes"} {
		n.each(name, func(v *node) { m.fine = m.fine && (v.kind == '0' || refChanges(v) != nil) })
	}
	for _, name := range []string{"assets_ids", "asset_ids", "clob_token_ids", "outcomes"} {
		n.each(name, func(v *node) {
			_, ok := refTexts(v)
			m.fine = m.fine && ok
		})
	}
	return m
}

func refTexts(n *node) ([]string, bool) {
	if n == nil || n.kind == '0' {
		return nil, true
	}
	if n.kind != 'a' {
		return nil, false
	}
	var out []string
	for _, v := range n.vals {
		s, ok := scalar(v)
		if !ok || s == "" || len(s) > 200 {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// refLevels returns price → size, the last of a price.
func refLevels(n *node) (map[int64]int64, bool) {
	levels := map[int64]int64{}
	if n == nil || n.kind == '0' {
		return levels, true
	}
	if n.kind != 'a' {
		return nil, false
	}
	for _, v := range n.vals {
		if v.kind != 'o' {
			return nil, false
		}
		p, ok := refPrice(v.last("price"))
		s, ok2 := refSize(v.last("size"))
		if !ok || !ok2 {
			return nil, false
		}
		levels[p] = s
	}
	return levels, true
}

type refChange struct {
	asset, side string
	price, size int64
}

func refSide(n *node) (side string, ok bool) {
	s, scalarOK := scalar(n)
	switch {
	case !scalarOK:
		return "", false
	case s == "":
		return "", true
	case s == "BUY" || s == "Buy" || s == "buy":
		return "bid", true
	case s == "SELL" || s == "Sell" || s == "sell":
		return "ask", true
	}
	return "", false
}

// refChanges returns nil when any is wrong.
func refChanges(n *node) []refChange {
	if n.kind != 'a' {
		return nil
	}
	out := []refChange{}
	for _, v := range n.vals {
		if v.kind != 'o' {
			return nil
		}
		c, ok := refOneChange(v)
		v.each("asset_id", func(id *node) {
			s, good := refID(id)
			ok = ok && good
			c.asset = s
		})
		if !ok {
			return nil
		}
		out = append(out, c)
	}
	return out
}

func refOneChange(v *node) (c refChange, ok bool) {
	var ok1, ok2, ok3 bool
	c.price, ok1 = refPrice(v.last("price"))
	c.size, ok2 = refSize(v.last("size"))
	c.side, ok3 = refSide(v.last("side"))
	return c, ok1 && ok2 && ok3 && c.side != ""
}

const rejected = "rejected"

// refDecode returns what a line says, one text a message.
func refDecode(line []byte) []string {
	if len(bytes.Trim(line, " \t\r\n")) == 0 {
		return nil
	}
	n, err := parseTree(line)
	if err != nil {
		return []string{"not JSON"}
	}
	switch n.kind {
	case 'o':
		return refObject(n)
	case 'a':
		var out []string
		for _, v := range n.vals {
			if v.kind == 'o' {
				out = append(out, refObject(v)...)
			} else {
				out = append(out, rejected)
			}
		}
		return out
	}
	return []string{rejected}
}

func refObject(n *node) []string {
	own := readMessage(n)
	fine := true
	var recv int64
	for i, k := range n.keys {
		if k == "recv" || k == "capturedAt" {
			at, ok := refTime(n.vals[i])
			fine = fine && ok
			recv = at
		}
	}
	gap := n.last("gap")
	n.each("gap", func(g *node) { fine = fine && refGapFine(g) })
	reset := n.last("reset") != nil && n.last("reset").text == "true" && n.last("reset").kind == 'b'
	msg, load := n.last("msg"), n.last("payload")
	switch {
	case msg != nil && load != nil:
		return []string{rejected}
	case !fine:
		return []string{rejected}
	case msg != nil || load != nil:
		if load != nil {
			msg = load
		}
		switch msg.kind {
		case 'o':
			return refEmit(readMessage(msg), recv, own.ids["slug"])
		case 'a':
			var out []string
			for _, v := range msg.vals {
				if v.kind != 'o' {
					out = append(out, rejected)
					continue
				}
				out = append(out, refEmit(readMessage(v), recv, own.ids["slug"])...)
			}
			return out
		}
		return []string{rejected}
	case gap != nil || reset:
		return refMarks(own, gap, reset, recv)
	}
	return refEmit(own, recv, own.ids["slug"])
}

func refGapFine(g *node) bool {
	if g.kind != 'o' {
		return false
	}
	from, to, ok := refGap(g)
	return ok && from > 0 && to > from
}

func refGap(g *node) (from, to int64, ok bool) {
	ok = true
	for _, part := range []struct {
		name string
		at   *int64
	}{{"from", &from}, {"to", &to}} {
		g.each(part.name, func(v *node) {
			at, fine := refTime(v)
			ok = ok && fine
			*part.at = at
		})
	}
	return from, to, ok
}

func refMarks(own refMessage, gap *node, reset bool, recv int64) []string {
	if !own.fine {
		return []string{rejected}
	}
	var from, to int64
	if gap != nil {
		from, to, _ = refGap(gap)
	}
	if recv == 0 {
		if gap == nil {
			return []string{rejected}
		}
		recv = to
	}
	head := fmt.Sprintf("slug=%s market=%s asset=%s recv=%d exch=%d",
		own.ids["slug"], own.ids["market"], own.ids["asset_id"], recv, own.exch)
	var out []string
	if gap != nil {
		if own.ids["slug"] == "" && own.ids["market"] == "" && own.ids["asset_id"] == "" {
			return []string{rejected}
		}
		out = append(out, fmt.Sprintf("gap %s %d-%d", head, from, to))
	}
	if reset {
		out = append(out, "reset "+head)
	}
	return out
}

func refEmit(m refMessage, recv int64, slug string) []string {
	n := m.n
	kind := ""
	named := false
	if e := n.last("event_type"); e != nil && e.kind != '0' {
		named = true
		if e.kind == 's' || e.kind == 'n' {
			kind = e.text
		}
	}
	if !named {
		switch {
		case n.last("bids", "asks") != nil:
			kind = "book"
		case n.last("price_changes", "changes") != nil:
			kind = "price_change"
		}
	}
	if recv == 0 {
		recv = m.exch
	}
	if slug == "" {
		slug = m.ids["slug"]
	}
	if !m.fine || recv == 0 {
		return []string{rejected}
	}
	asset := m.ids["asset_id"]
	head := func(asset string) string {
		return fmt.Sprintf("slug=%s market=%s asset=%s recv=%d exch=%d", slug, m.ids["market"], asset, recv, m.exch)
	}
	switch kind {
	case "price_change":
		return refEmitChanges(m, asset, head)
	case "new_market", "market_resolved":
		return []string{refListing(m, kind, slug, head(""))}
	}
	if asset == "" {
		return []string{rejected}
	}
	out := rejected
	switch kind {
	case "book":
		if n.last("bids", "asks") != nil {
			bids, _ := refLevels(n.last("bids"))
			asks, _ := refLevels(n.last("asks"))
			out = fmt.Sprintf("book %s bids=%s asks=%s", head(asset), sorted(bids, true, true), sorted(asks, false, true))
		}
	case "last_trade_price":
		p, ok := refPrice(n.last("price"))
		var size int64
		ok2 := true
		if s, fine := scalar(n.last("size")); !fine || s != "" {
			size, ok2 = refSize(n.last("size"))
		}
		side, ok3 := refSide(n.last("side"))
		if ok && ok2 && ok3 {
			if side == "" {
				side = "unknown"
			}
			out = fmt.Sprintf("trade %s %d %d %s", head(asset), p, size, side)
		}
	case "tick_size_change":
		if p, ok := refPrice(n.last("new_tick_size")); ok && p > 0 {
			out = fmt.Sprintf("tick %s %d", head(asset), p)
		}
	case "best_bid_ask":
		bid, ok := refQuote(n.last("best_bid"), 0)
		ask, ok2 := refQuote(n.last("best_ask"), 10_000)
		if ok && ok2 {
			out = fmt.Sprintf("quote %s %d %d", head(asset), bid, ask)
		}
	}
	return []string{out}
}

func refQuote(n *node, none int64) (int64, bool) {
	if s, ok := scalar(n); ok && s == "" {
		return -1, true
	}
	p, ok := refPrice(n)
	if p == 0 || p == none {
		p = -1
	}
	return p, ok
}

func refEmitChanges(m refMessage, asset string, head func(string) string) []string {
	var changes []refChange
	if list := m.n.last("price_changes", "changes"); list == nil {
		c, ok := refOneChange(m.n)
		if !ok {
			return []string{rejected}
		}
		changes = []refChange{c}
	} else if list.kind != '0' {
		changes = refChanges(list)
	}
	if len(changes) == 0 {
		return []string{rejected}
	}
	var order []string
	sides := map[string]map[string]map[int64]int64{}
	for _, c := range changes {
		if c.asset == "" {
			c.asset = asset
		}
		if c.asset == "" {
			return []string{rejected}
		}
		if sides[c.asset] == nil {
			order = append(order, c.asset)
			sides[c.asset] = map[string]map[int64]int64{"bid": {}, "ask": {}}
		}
		sides[c.asset][c.side][c.price] = c.size
	}
	var out []string
	for _, a := range order {
		out = append(out, fmt.Sprintf("change %s bids=%s asks=%s", head(a),
			sorted(sides[a]["bid"], true, false), sorted(sides[a]["ask"], false, false)))
	}
	return out
}

func refListing(m refMessage, kind, slug, head string) string {
	ids, _ := refTexts(m.n.last("assets_ids", "asset_ids", "clob_token_ids"))
	names, _ := refTexts(m.n.last("outcomes"))
	if len(ids) != len(names) || m.ids["market"] == "" && slug == "" {
		return rejected
	}
	if kind == "new_market" {
		if len(ids) == 0 {
			return rejected
		}
		return fmt.Sprintf("listing %s %q %q", head, ids, names)
	}
	winner := m.ids["winning_asset_id"]
	label, _ := scalar(m.n.last("winning_outcome"))
	if o := m.n.last("winning_outcome"); o != nil && o.kind != 's' && o.kind != 'n' {
		label = ""
	}
	if winner == "" && label == "" {
		return rejected
	}
	found := len(ids) == 0
	for i := range ids {
		if (winner == "" || winner == ids[i]) && (label == "" || strings.EqualFold(label, names[i])) {
			found = true
		}
	}
	if !found {
		return rejected
	}
	return fmt.Sprintf("resolved %s %q %q %s %q", head, ids, names, winner, label)
}

// sorted writes levels best first.
func sorted(levels map[int64]int64, bids, whole bool) string {
	var prices []int64
	for p, s := range levels {
		if s != 0 || !whole {
			prices = append(prices, p)
		}
	}
	sort.Slice(prices, func(i, k int) bool { return prices[i] < prices[k] != bids })
	var b strings.Builder
	for _, p := range prices {
		fmt.Fprintf(&b, "[%d %d]", p, levels[p])
	}
	return b.String()
}

// describe writes a message of the scanner as the reference does.
func describe(m *stream.Message) string {
	switch m.Reject {
	case stream.OK:
	case stream.BadJSON:
		return "not JSON"
	default:
		return rejected
	}
	head := fmt.Sprintf("slug=%s market=%s asset=%s recv=%d exch=%d", m.Slug, m.Market, m.Asset, m.Recv, m.Exch)
	levels := func(l []market.Level) string {
		var b strings.Builder
		for _, v := range l {
			fmt.Fprintf(&b, "[%d %d]", v.Price, v.Size)
		}
		return b.String()
	}
	switch m.Type {
	case stream.Book:
		return fmt.Sprintf("book %s bids=%s asks=%s", head, levels(m.Bids), levels(m.Asks))
	case stream.Change:
		return fmt.Sprintf("change %s bids=%s asks=%s", head, levels(m.Bids), levels(m.Asks))
	case stream.Trade:
		return fmt.Sprintf("trade %s %d %d %s", head, m.Trade.Price, m.Trade.Size, m.Trade.Side)
	case stream.Tick:
		return fmt.Sprintf("tick %s %d", head, m.Trade.Price)
	case stream.Quote:
		return fmt.Sprintf("quote %s %d %d", head, m.Quote.Bid.Price, m.Quote.Ask.Price)
	case stream.Listing:
		return fmt.Sprintf("listing %s %q %q", head, m.Assets, m.Outcomes)
	case stream.Resolved:
		return fmt.Sprintf("resolved %s %q %q %s %q", head, m.Assets, m.Outcomes, m.Winner, m.WinnerOutcome)
	case stream.GapMark:
		return fmt.Sprintf("gap %s %d-%d", head, m.Gap.From, m.Gap.To)
	case stream.ResetMark:
		return "reset " + head
	}
	return fmt.Sprintf("type %d", m.Type)
}

func describeAll(msgs []stream.Message) []string {
	var out []string
	for i := range msgs {
		out = append(out, describe(&msgs[i]))
	}
	return out
}

// allReal asks for every message of the real captures; by default some of the
// first file are compared, since the reference takes its time:
//
//	LADDERBACK_INGEST_ALL=1 go test -v -run RealCaptures ./archive/ingest/wslog
const allReal = "LADDERBACK_INGEST_ALL"

// TestRealCapturesAgainstReference compares messages of the real captures.
func TestRealCapturesAgainstReference(t *testing.T) {
	t.Parallel()
	files, every := 1, 8
	if os.Getenv(allReal) != "" {
		files, every = 83, 1
	}
	compared := 0
	for k := range files {
		text := realText(t, k, k+1)
		r := wslog.NewReader(bytes.NewReader(text))
		n := 0
		for line := range bytes.Lines(text) {
			msgs, err := r.Next()
			require.NoError(t, err)
			if n++; n%every != 0 {
				continue
			}
			want, got := refDecode(line), describeAll(msgs)
			if !slices.Equal(want, got) {
				require.Equal(t, want, got, "%.200s", line)
			}
			compared += len(msgs)
		}
		_, err := r.Next()
		require.ErrorIs(t, err, io.EOF)
	}
	require.NotZero(t, compared)
	t.Logf("%d messages compared", compared)
}

// FuzzDecode: whatever the bytes, scanner and reference say the same.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || len(line) > 1<<16 {
			t.Skip()
		}
		var d wslog.Decoder
		got := describeAll(d.Decode(line))
		require.Equal(t, refDecode(line), got, "%q", line)
		require.Equal(t, got, describeAll(d.Decode(line)), "decoded twice: %q", line)
	})
}
