package backtest

import (
	"context"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// ListedTravelling is how many captures are listed after the signal, and how
// many before the arrival.
const ListedTravelling = 10

// How many captures are listed before the signal and after the arrival.
const (
	listBefore = 5
	listAfter  = 2
)

// Phases of a capture.
const (
	PhaseBefore     = "before"
	PhaseSignal     = "signal"
	PhaseTravelling = "travelling"
	PhaseAfter      = "after"
)

// around reads the captures of a market around an order that was sent at signal
// and arrived at arrival, with the top of the token's market after each.
func around(ctx context.Context, src replay.Source, m *market.Market, token int, signal, arrival market.Instant) (Captures, error) {
	var book market.Book
	var before, travelling, after []CaptureView
	top := market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}
	for c, err := range src.Captures(ctx, m) {
		if err != nil {
			return Captures{}, err
		}
		if q, ok := quoteAfter(&book, c, token, m.Mirrored); ok {
			top = q
		}
		v := captureView(c, m, top)
		switch {
		case c.Recv < signal:
			v.Phase = PhaseBefore
			before = append(before, v)
			if len(before) > 4*listBefore {
				before = append(before[:0], before[len(before)-listBefore:]...)
			}
			continue
		case c.Recv == signal:
			v.Phase = PhaseSignal
		case c.Recv <= arrival:
			v.Phase = PhaseTravelling
		default:
			v.Phase = PhaseAfter
		}
		if v.Phase != PhaseAfter {
			travelling = append(travelling, v)
			continue
		}
		if after = append(after, v); len(after) == listAfter {
			break
		}
	}
	out := Captures{Rows: []CaptureView{}}
	out.Rows = append(out.Rows, before[max(0, len(before)-listBefore):]...)
	if hidden := len(travelling) - 2*ListedTravelling; hidden > 0 {
		out.Skipped = hidden
		travelling = append(travelling[:ListedTravelling:ListedTravelling], travelling[len(travelling)-ListedTravelling:]...)
	}
	out.Rows = append(out.Rows, travelling...)
	out.Rows = append(out.Rows, after...)
	return out, nil
}

func captureView(c *market.Capture, m *market.Market, top market.Quote) CaptureView {
	v := CaptureView{Time: c.Recv, Exch: known(c.Exch), Kind: c.Kind.String(), Bid: sidePrice(top.Bid), Ask: sidePrice(top.Ask)}
	if c.Token >= 0 && c.Token < len(m.Tokens) {
		v.Token = m.Tokens[c.Token].Label
	}
	return v
}

func sidePrice(l market.Level) *stats.Decimal {
	if l.Price == market.NoPrice {
		return nil
	}
	return new(priceOf(l.Price))
}
