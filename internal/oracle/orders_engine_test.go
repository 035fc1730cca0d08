package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// TestEngineEqualsOracleOnOrders compares all that becomes of orders, under the three
// rules: limits and how they ended, legs, refusals, items and money. The smallest case of
// a difference is printed.
func TestEngineEqualsOracleOnOrders(t *testing.T) {
	t.Parallel()
	const chunks = 4
	tapes, first := envInt(t, campaignTapes, 200), envInt(t, campaignSeed, 30_000_000)
	all, seen := t, orderTally{}
	t.Run("tapes", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for i := chunk; i < tapes && !all.Failed(); i += chunks {
					r := drawn.NewOrders(uint64(first + i))
					a := r.Tape(1 + r.IntN(3))
					c := replay.Case{Strategy: r.Strategy(a), Options: r.Settings()}
					for _, rule := range queue.Rules {
						c.Options.Queue = rule
						if ordersDiffer(a, c, &seen) == "" {
							continue
						}
						a, c = minimize(a, c, func(a *replaytest.Archive, c replay.Case) bool { return ordersDiffer(a, c, nil) != "" })
						require.Fail(t, ordersDiffer(a, c, nil), caseText(first+i, a, c.Strategy, c.Options, ""))
					}
				}
			})
		}
	})
	t.Logf("%d tapes\n%s", tapes, &seen)
}

// TestOrdersThatMet holds cases in which the engine and the oracle once differed.
func TestOrdersThatMet(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		latency          int64
		tape, exit, more string
	}{
		"filled at the instant at which it would be cancelled": {
			0, "end=30 mirrored=yes\n0.25 up book 0.31x100 |\n0.5 up change 0.31x100 |\n0.75 up change |\n",
			`"take_profit":null,"take_profit_offset":0.06,"rest_take_profit":true`,
			`"then":[{"do":"sell","token":"same","fraction":1,"order":{"rest_at":0.69}}]`,
		},
		"no entry again while a further order is on its way": {
			250, "end=30 mirrored=yes\n8.00079 down quote 0.47x20.123456 | 0.5x50\n22.00079 up quote | 0.53x20\n",
			`"take_profit":0.46`, `"then":[{"do":"buy","token":"same","on":"exit","usd":9}],"again":{"max_entries":4}`,
		},
		"an entry again is counted from the end of a further order": {
			250, "end=30 mirrored=yes\n8 up book 0.5x100 | 0.59x100\n",
			`"take_profit":null,"stop_loss_offset":0.02`,
			`"order":{"rest_at":0.5},"then":[{"do":"buy","token":"same","on":"exit","usd":0.01}],"again":{"max_entries":3,"after_seconds":3}`,
		},
		"a target that was refused is sent again as another sell ends": {
			250, "end=30 mirrored=yes\n-1 down book | 0.17x100\n6 up trade 0.86x20.005\n",
			`"take_profit":0.12,"rest_take_profit":true`,
			`"order":{"rest_from_ask":0.03},"then":[{"do":"sell","token":"same","fraction":0.25,"order":{"rest_at":0.86}}]`,
		},
		"less than a lot is left of the bid": {
			250, "end=30 mirrored=yes\n3 up book | 0.31x3.005\n3 up change 0.3x100 |\n3.5 up trade 0.33x20\n",
			`"take_profit":null,"take_profit_offset":0.01,"rest_take_profit":true`,
			`"order":{"rest_from_ask":0.03},"then":[{"do":"sell","token":"same","when":[
				{"type":"price","token":"same","comparator":"gt","threshold":0.26,"within_seconds":null}],"shares":18}]`,
		},
		"one fill leaves nothing held, another of the same capture something": {
			250, "end=60 mirrored=yes\n2.5 down quote | 0.8x50\n11.000416 down quote 0.77x30 | 0.81x20\n",
			`"take_profit":0.26,"rest_take_profit":true`,
			`"then":[{"do":"buy","token":"opposite","match":true,"order":{"rest_at":0.72}}]`,
		},
		"a later exit for another reason ends no order on a stop": {
			0, "end=30 mirrored=yes\n1 up book 0.73x100 |\n2 up book | 0.77x100\n2.5 down trade 0.21x7.123456\n",
			`"take_profit":null,"stop_loss_offset":0.02,"max_hold_seconds":7`,
			`"then":[{"do":"buy","token":"same","on":"stop_loss","usd":10,"order":{"rest_from_bid":-0.02},"times":5}]`,
		},
		"a cancel goes before the orders of its instant": {
			0, "end=30 mirrored=yes\n10.000563 up book |\n11.000563 up change | 0.62x100\n22.000563 up book |\n26.000563 down change | 0.37x30\n",
			`"take_profit":null`,
			`"order":{"rest_from_bid":0.01,"cancel_when":[{"type":"best_bid","token":"opposite","comparator":"gte","threshold":0.63,"within_seconds":null}]},
				"then":[{"do":"sell","token":"same","on":"start","fraction":1,"order":{"rest_at":0.38}}]`,
		},
		"cancelled and sent again at one instant": {
			0, "end=30 mirrored=yes\n0.25 down book | 0.53x100\n2.5 down book |\n7 down trade 0.46x100.005\n",
			`"take_profit":null`,
			`"then":[{"do":"buy","token":"opposite","match":true,"order":{"rest_at":0.49,"cancel_when":[
				{"type":"price_change","token":"same","comparator":"lt","threshold":0,"within_seconds":6}]},"times":5}]`,
		},
		"money of an order that will be too late is held until it arrives": {
			1000, "id=m2 end=30\n29.000687 down quote 0.37x10.01 | 0.39x10.01\n" +
				"market btc-updown-5m-1776088830 winner=up id=m0 end=30 mirrored=yes\n-2 up book |\n0 down trade 0.53x10.01\n",
			`"take_profit":null`, `"order":{"rest_at":0.41},"bankroll":{"start":20,"max_open":5}`,
		},
		"an order that will be too late is on its way until it arrives": {
			250, "end=60 mirrored=yes\n58.002435 down book |\n59.002435 down change 0.54x100 | 0.57x100\n",
			`"take_profit":null`,
			`"then":[{"do":"buy","token":"opposite","shares":90,"order":{"rest_from_bid":-0.01}},{"do":"buy","token":"opposite","when":[
				{"type":"spread","token":"opposite","comparator":"lt","threshold":0.06,"within_seconds":null}],"match":true}]`,
		},
		"a day's loss ends the day though more comes back": {
			250, "id=m0 end=60 mirrored=yes\n10 up book 0.73x100 |\n" +
				"market btc-updown-5m-1776088800 winner=up id=m1 end=30 mirrored=yes\n1 up book 0.21x100 |\n" +
				"market btc-updown-5m-1776088830 winner=up id=m2 end=60 mirrored=yes\n39 down quote 0.42x7 | 0.44\n",
			`"take_profit":null`, `"bankroll":{"start":60,"daily_loss":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := replaytest.Parse("market btc-updown-5m-1776088800 winner=down min=5 " + one.tape)
			require.NoError(t, err)
			s, err := strategy.Parse([]byte(`{"market":{"coin":"BTC","market_type":"5m"},"side":"down","entry":[],
				"exit":{"stop_loss":null,"hold_to_expiry":true,` + one.exit + `},"budget_per_trade":20,"sample_size":50,` + one.more + `}`))
			require.NoError(t, err)
			c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
			c.Options.LatencyMS = one.latency
			for _, c.Options.Queue = range queue.Rules {
				require.Empty(t, ordersDiffer(a, c, nil))
			}
		})
	}
}

// ordersDiffer says what the oracle and the engine find where they differ; empty: they
// agree.
func ordersDiffer(a *replaytest.Archive, c replay.Case, seen *orderTally) string {
	return ordersDifferBy(a, a, c, false, seen)
}

// ordersDifferBy is ordersDiffer with the engine reading another form of the archive.
func ordersDifferBy(src replay.Source, a *replaytest.Archive, c replay.Case, undated bool, seen *orderTally) string {
	got, err := replay.Run(context.Background(), src, c, replay.Parallel{Workers: 1, Undated: undated})
	if err != nil {
		return "error: " + err.Error()
	}
	var rounds []*replaytest.Round
	for _, m := range got.Markets {
		rounds = append(rounds, a.All[slices.IndexFunc(a.All, func(r *replaytest.Round) bool { return r.Market.VenueID == m.Round.Market.VenueID })])
	}
	object, rule := object.Read(c.Strategy), oracle.Queue(c.Options.Queue)
	if rule == "" {
		rule = oracle.Through
	}
	var want []*oracle.Played
	wantPurse, gotPurse := "", ""
	if object.Bankroll != nil {
		all := oracle.PlayTogether(rounds, object, c.Options, rule)
		want = all.Rounds
		if object.Bankroll.Start != nil && len(rounds) > 0 {
			wantPurse = fmt.Sprintf("end %s lowest %s ruined %s", all.End.FloatString(6), all.LowestCash.FloatString(6), all.RuinedAt)
			b := got.Markets[0].Bankroll
			gotPurse = fmt.Sprintf("end %.6f lowest %.6f ruined %s", b.End.Float(), b.LowestCash.Float(), b.RuinedAt)
		}
	} else {
		for _, r := range rounds {
			want = append(want, oracle.PlayOne(r, object, c.Options, rule))
		}
	}
	for i := range want {
		if seen != nil {
			seen.add(want[i])
		}
		w, g := factsOf(want[i]), engineFacts(&got.Markets[i])
		if undated { // where it was not looked up
			w, g = asOf.ReplaceAllString(w, ""), asOf.ReplaceAllString(g, "")
		}
		if w != g {
			return fmt.Sprintf("market %s under %s\n--- oracle\n%s--- engine\n%s--- end\n%s", got.Markets[i].Round.Market.VenueID, rule, w, g, want[i])
		}
	}
	if wantPurse != gotPurse {
		return fmt.Sprintf("purse under %s\n--- oracle %s\n--- engine %s", rule, wantPurse, gotPurse)
	}
	return ""
}

var asOf = regexp.MustCompile(` as_of=\S+`)

// facts is what is compared of a round.
type facts struct{ strings.Builder }

func (f *facts) line(format string, args ...any) { fmt.Fprintf(f, format+"\n", args...) }

func factsOf(p *oracle.Played) string {
	var f facts
	f.line("signalled=%t %v %v", p.Signalled, p.Refusals, p.ThenRefusals)
	for _, l := range p.Orders {
		if l.Resting && l.End != "void" && !strings.HasPrefix(l.End, "refused") {
			f.line("limit %s token=%d sell=%t %s signal=%s accepted=%s ended=%s filled=%s", l.Name, l.Token, l.Sell, l.Limit, l.Signal, l.Arrival, l.Ended, l.Filled)
		}
	}
	it := p.Item
	if it == nil {
		return f.String()
	}
	exit := "none"
	if it.Exit != nil {
		exit = it.Exit.RatString()
	}
	opposite := "0 0"
	if it.OppositeShares > 0 {
		opposite = fmt.Sprint(it.OppositePrice.RatString(), " ", it.OppositeCost)
	}
	f.line("item token=%d entry=%s %s exit=%s %s %s shares=%s at %s out at %s", it.Token, it.EntryTime, it.EntryFill, it.ExitTime, it.ExitFill, it.Reason,
		it.Shares, it.Entry.RatString(), exit)
	f.line("cost=%s proceeds=%s fees=%s pnl=%s entries=%d opposite=%s", it.Cost, it.Proceeds, it.Fees, it.PnL, it.Entries, opposite)
	for _, l := range it.Legs {
		token := l.Token
		if l.Action == "merge" {
			token = 0
		}
		f.line("%s %s token=%d %s %s as_of=%s %s shares=%s value=%s cash=%s fee=%s", l.Order, l.Action, token, l.Reason, l.Time, l.AsOf, l.Kind, l.Shares,
			l.Value.RatString(), l.Cash, l.Fee)
	}
	return f.String()
}

func engineFacts(m *replay.MarketResult) string {
	var f facts
	f.line("signalled=%t %v %v", m.Signalled, refusalNames(m.Refusals), refusalNames(m.Then))
	for _, l := range m.Limits {
		f.line("limit %s token=%d sell=%t %s signal=%s accepted=%s ended=%s filled=%s", l.Order, l.Token, l.Action == replay.Sell, l.Price, l.Signal, l.Accepted,
			l.Ended, l.Filled())
	}
	it := m.Trade
	if it == nil {
		return f.String()
	}
	exit := "none"
	if it.Exit.Known() {
		exit = it.Exit.Rat().RatString()
	}
	opposite := "0 0"
	if it.Opposite.Average.Known() {
		opposite = fmt.Sprint(it.Opposite.Average.Rat().RatString(), " ", it.Opposite.Cost)
	}
	f.line("item token=%d entry=%s %s exit=%s %s %s shares=%s at %s out at %s", it.Token, it.EntryTime, it.EntryFill(), it.ExitTime, it.ExitFill, it.Reason,
		it.Shares, it.Entry.Rat().RatString(), exit)
	f.line("cost=%s proceeds=%s fees=%s pnl=%s entries=%d opposite=%s", it.Cost, it.Proceeds, it.Fees, it.PnL(), it.Entries, opposite)
	for _, l := range it.Legs {
		token := l.Token
		if l.Action == replay.Merge {
			token = 0
		}
		f.line("%s %s token=%d %s %s as_of=%s %s shares=%s value=%s cash=%s fee=%s", l.Order, l.Action, token, l.Reason, l.Time, l.AsOf, l.Kind, l.Shares,
			l.Value.Rat().RatString(), l.Cash, l.Fee)
	}
	return f.String()
}

func refusalNames(r replay.Refusals) map[string]int {
	out := map[string]int{}
	for reason, n := range r {
		if n != 0 {
			out[replay.Reason(reason).String()] = n
		}
	}
	return out
}

// orderTally counts what happened, to see that much did.
type orderTally struct {
	sync.Mutex
	rounds, items int
	ends, kinds   map[string]int
	refusals      map[string]int
}

func (n *orderTally) add(p *oracle.Played) {
	n.Lock()
	defer n.Unlock()
	if n.ends == nil {
		n.ends, n.kinds, n.refusals = map[string]int{}, map[string]int{}, map[string]int{}
	}
	n.rounds++
	for _, l := range p.Orders {
		kind := strings.TrimRight(l.Name, ".0123456789")
		if l.Resting {
			kind += " rests"
		}
		if l.Filled > 0 && l.Filled < l.Size {
			kind += ", in part"
		}
		n.ends[kind+": "+l.End]++
	}
	for why, count := range p.Refusals {
		n.refusals[why] += count
	}
	for why, count := range p.ThenRefusals {
		n.refusals[why] += count
	}
	if p.Item != nil {
		n.items++
		for _, l := range p.Item.Legs {
			n.kinds[l.Action+" "+l.Kind+" "+l.Reason]++
		}
	}
}

func (n *orderTally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rounds, %d items\n", n.rounds, n.items)
	for _, counts := range []map[string]int{n.ends, n.kinds, n.refusals} {
		for _, k := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "%6d %s\n", counts[k], k)
		}
	}
	return b.String()
}

// lessOrders are cases like c with one field of orders less.
func lessOrders(c replay.Case) []replay.Case {
	var out []replay.Case
	change := func(f func(s *strategy.Strategy)) {
		text, _ := json.Marshal(c.Strategy)
		var s strategy.Strategy
		if json.Unmarshal(text, &s) != nil {
			return
		}
		f(&s)
		try := c
		var err error
		if try.Strategy, err = strategy.Canonicalize(s); err == nil && !try.Strategy.Equal(c.Strategy) {
			out = append(out, try)
		}
	}
	change(func(s *strategy.Strategy) { s.Bankroll, s.Size = nil, nil })
	change(func(s *strategy.Strategy) { s.Size = nil })
	change(func(s *strategy.Strategy) { s.Merge = false })
	change(func(s *strategy.Strategy) { s.Again = nil })
	change(func(s *strategy.Strategy) { s.Order = nil })
	change(func(s *strategy.Strategy) { s.Exit.RestTakeProfit = false })
	change(func(s *strategy.Strategy) { s.Then = nil })
	if c.Strategy.Order() != nil {
		change(func(s *strategy.Strategy) { s.Order.CancelWhen, s.Order.CancelAfterSeconds = nil, 0 })
		change(func(s *strategy.Strategy) { s.Order.PostOnly = false })
	}
	for i := range c.Strategy.Then() {
		change(func(s *strategy.Strategy) {
			if s.Then = slices.Delete(s.Then, i, i+1); len(s.Then) == 0 {
				s.Then = nil
			}
		})
		change(func(s *strategy.Strategy) { s.Then[i].Order = nil })
		change(func(s *strategy.Strategy) { s.Then[i].When = nil })
		change(func(s *strategy.Strategy) { s.Then[i].Times, s.Then[i].AfterSeconds = 1, 0 })
		if c.Strategy.Then()[i].Order != nil {
			change(func(s *strategy.Strategy) { s.Then[i].Order.CancelWhen, s.Then[i].Order.CancelAfterSeconds = nil, 0 })
			change(func(s *strategy.Strategy) { s.Then[i].Order.PostOnly = false })
		}
		for k := range c.Strategy.Then()[i].When {
			change(func(s *strategy.Strategy) { s.Then[i].When = slices.Delete(s.Then[i].When, k, k+1) })
		}
	}
	return out
}

// TestOrdersOnRealRounds compares random strategies of orders under the three rules over
// real captures, in which nothing but ladders was recorded: four rounds, or all.
func TestOrdersOnRealRounds(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	step, each := 27, 2
	if os.Getenv(allReal) != "" {
		step, each = 1, envInt(t, campaignTapes, 20)
	}
	markets, first := readMarkets(t, filepath.Join(dir, "markets.jsonl")), envInt(t, campaignSeed, 80_000_000)
	var seen orderTally
	var g errgroup.Group
	g.SetLimit(2) // the frames of a round take some memory
	for i := 0; i < len(files); i += step {
		g.Go(func() error {
			m := markets[strings.TrimSuffix(filepath.Base(files[i]), ".jsonl.gz")]
			if m.Payout == nil { // no archive replays it: split it
				m.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{400_000, 600_000}}
			}
			round, err := readRound(m, files[i])
			if err != nil {
				return err
			}
			a := &replaytest.Archive{All: []*replaytest.Round{round}}
			for k := range each {
				seed := first + i*each + k
				r := drawn.NewOrders(uint64(seed))
				c := replay.Case{Strategy: r.Strategy(a), Options: r.Settings()}
				c.Options.Winners = replay.WinnersInferred
				for _, c.Options.Queue = range queue.Rules {
					if found := ordersDiffer(a, c, &seen); found != "" {
						text, _ := json.Marshal(c)
						return fmt.Errorf("%s, seed %d: %s\n%s", m.Slug, seed, text, found)
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	t.Logf("%d of %d rounds, %d strategies each\n%s", (len(files)+step-1)/step, len(files), each, &seen)
	require.Greater(t, seen.items, seen.rounds/10)
}
