package archivetest

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/market"
)

// Trace writes a sequence of captures as text, a line each: the capture, and
// for ladders the whole book that it leaves. A mirrored market has one book, as
// its first token sees it. names are the public ids of the tokens.
func Trace(m *market.Market, captures iter.Seq2[*market.Capture, error]) ([]string, error) {
	books := make([]*market.Book, max(1, len(m.Tokens)))
	var out []string
	var line []byte
	var levels []market.Level
	for c, err := range captures {
		if err != nil {
			return out, err
		}
		line = fmt.Appendf(line[:0], "%d %v %d %d", c.Token, c.Kind, c.Recv, c.Exch)
		switch c.Kind {
		case market.KindBook, market.KindChange:
			at := c.Token
			if m.Mirrored {
				at = 0
			}
			if books[at] == nil {
				books[at] = new(market.Book)
			}
			if m.Mirrored && c.Token == 1 {
				books[at].ApplyMirror(c)
			} else {
				books[at].Apply(c)
			}
			if c.Kind == market.KindChange {
				line = appendSide(appendSide(append(line, " changes"...), c.Bids), c.Asks)
			}
			line = append(line, " book"...)
			levels = books[at].Append(levels[:0], market.Bid)
			line = appendSide(line, levels)
			levels = books[at].Append(levels[:0], market.Ask)
			line = appendSide(line, levels)
		case market.KindQuote:
			line = fmt.Append(line, " ", c.Quote)
		case market.KindTrade, market.KindPrice, market.KindTick:
			line = fmt.Append(line, " ", c.Trade)
		case market.KindMetric:
			line = fmt.Append(line, " ", c.Metric)
		}
		out = append(out, string(line))
	}
	return out, nil
}

// appendSide writes the levels of a side: price in 1e-4, size in 1e-6.
func appendSide(b []byte, levels []market.Level) []byte {
	b = append(b, " ["...)
	for i, l := range levels {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(l.Price), 10)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(l.Size), 10)
	}
	return append(b, ']')
}

// Model returns, naively, the captures that an archive of the given messages
// hands out for a market: in receive order, those of one receive time in the
// order of the messages, equal ones once, and of one exchange time the ladders
// of the mirrored token received first. place maps tokens of the scenario to
// tokens of m.
func Model(m *market.Market, messages []Message, place func(int) int) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		ordered := slices.Clone(messages)
		slices.SortStableFunc(ordered, func(a, b Message) int {
			switch {
			case a.Capture.Recv < b.Capture.Recv:
				return -1
			case a.Capture.Recv > b.Capture.Recv:
				return 1
			}
			return 0
		})
		seen := map[string]bool{}
		first := map[market.Instant]int{}
		for _, msg := range ordered {
			c := msg.Capture
			c.Token = place(c.Token)
			key := contentKey(&c)
			if seen[key] {
				continue
			}
			seen[key] = true
			if m.Mirrored && c.IsLadder() && c.Exch != 0 {
				if t, ok := first[c.Exch]; ok && t != c.Token {
					continue
				}
				first[c.Exch] = c.Token
			}
			if !yield(&c, nil) {
				return
			}
		}
	}
}

func contentKey(c *market.Capture) string {
	bids, asks := c.Bids, c.Asks
	if c.Kind == market.KindBook {
		empty := func(l market.Level) bool { return l.Size == 0 }
		bids = slices.DeleteFunc(slices.Clone(bids), empty)
		asks = slices.DeleteFunc(slices.Clone(asks), empty)
	}
	key := fmt.Appendf(nil, "%d %d %d %d %v %v %v", c.Token, c.Kind, c.Recv, c.Exch, c.Quote, c.Trade, c.Metric)
	return string(appendSide(appendSide(key, bids), asks))
}
