package wslog_test

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// The reference decoder: the same rules as the scanner's, over a tree that
// encoding/json reads, with exact rationals, and without a thought for speed.
// Both write what they found as text.

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
		s, ok := scalarText(v)
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
	s, textOK := scalarText(n)
	switch {
	case !textOK:
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
		if s, fine := scalarText(n.last("size")); !fine || s != "" {
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
	if s, ok := scalarText(n); ok && s == "" {
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
	label, _ := scalarText(m.n.last("winning_outcome"))
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
