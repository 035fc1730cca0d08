// Command growth makes archives of many rounds and measures what questions cost as an
// archive grows: most rounds are metadata alone, the newest of one series are captured.
//
//	go run ./internal/growth -archive '/tmp/growth-%d.db' -rounds 1000,10000,100000 -bin ./ladderback
//
// An address of PostgreSQL works likewise; its databases must exist. Archives that are
// there already are measured as they are, so that programs can be compared over them. It
// prints a table in Markdown: seconds of the processor, the fastest of three, and the
// most memory held; and the slope between the first and the last size: 0 is a cost that
// does not depend on the archive, 1 one that is proportional to it. With PostgreSQL the
// seconds are by the clock, unless -server names its process on this machine, whose
// seconds, with those of the processes below it, are then counted too.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

func main() {
	address := flag.String("archive", "", "address of the archives, with %d for their number of rounds")
	sizes := flag.String("rounds", "1000,10000,100000", "sizes, ascending, with commas between them")
	bin := flag.String("bin", "", "the ladderback program to measure; empty: archives are made, no more")
	ask := flag.String("ask", "", "only what this regular expression finds in the table's first column")
	server := flag.Int("server", 0, "number of the process of PostgreSQL, on this machine")
	flag.Parse()
	m := meter{clock: strings.Contains(*address, "://") && *server == 0, server: *server}
	t := table{meter: m, cost: map[string][]cost{}}
	var err error
	if t.ask, err = regexp.Compile(*ask); err == nil {
		err = t.run(context.Background(), *address, *sizes, *bin)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func (t *table) run(ctx context.Context, address, sizes, bin string) error {
	if !strings.Contains(address, "%d") {
		return errors.New("-archive with %d in it is needed")
	}
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < captured {
			return fmt.Errorf("-rounds %q: expected numbers from %d on", text, captured)
		}
		t.sizes = append(t.sizes, n)
		if err := t.measure(ctx, fmt.Sprintf(address, n), n, bin); err != nil {
			return fmt.Errorf("%d rounds: %w", n, err)
		}
	}
	t.print()
	return nil
}

// cost is what a question took.
type cost struct {
	seconds float64 // 0: not asked
	bytes   int64   // most memory held, of a program; bytes a round; 0: not measured
}

type table struct {
	meter
	ask   *regexp.Regexp
	sizes []int
	names []string
	cost  map[string][]cost
}

func (t *table) add(name string, c cost) {
	if t.cost[name] == nil {
		t.names = append(t.names, name)
	}
	t.cost[name] = append(t.cost[name], c)
}

func (t *table) print() {
	fmt.Print("| Rounds |")
	for _, n := range t.sizes {
		fmt.Printf(" %d |", n)
	}
	fmt.Print(" slope |\n|---|" + strings.Repeat("---|", len(t.sizes)+1) + "\n")
	for _, name := range t.names {
		costs := t.cost[name]
		fmt.Printf("| %s |", name)
		for _, c := range costs {
			if c.seconds > 0 {
				fmt.Printf(" %.1f ms", 1000*c.seconds)
			}
			if c.seconds > 0 && c.bytes > 0 {
				fmt.Printf(", %d MB", c.bytes>>20)
			} else if c.bytes > 0 {
				fmt.Printf(" %d bytes", c.bytes)
			}
			fmt.Print(" |")
		}
		first, last := costs[0], costs[len(costs)-1]
		a, b := cmp.Or(first.seconds, float64(first.bytes)), cmp.Or(last.seconds, float64(last.bytes))
		fmt.Printf(" %.2f |\n", math.Log(b/a)/math.Log(float64(t.sizes[len(t.sizes)-1])/float64(t.sizes[0])))
	}
}

// measure makes an archive of n rounds, if there is none, and asks it.
func (t *table) measure(ctx context.Context, address string, n int, bin string) error {
	s, err := create(ctx, address)
	if err != nil {
		return err
	}
	a := archive.New(s)
	defer a.Close()
	have, err := a.Sources(ctx)
	if err != nil {
		return err
	}
	if err := fill(ctx, s, n, have); err != nil {
		return err
	}
	if err := s.Shrink(ctx); err != nil {
		return err
	}
	size, err := s.Size(ctx)
	if err != nil {
		return err
	}
	t.add("bytes a round", cost{bytes: size / int64(n)})
	if bin == "" {
		return nil
	}
	for _, q := range t.questions(s, a, bin, address, n, len(have)) {
		if !t.ask.MatchString(q.name) {
			continue
		}
		c, err := q.cost(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		t.add(q.name, c)
	}
	return nil
}

// question is something asked of an archive.
type question struct {
	name string
	cost func(ctx context.Context) (cost, error)
}

// questions returns what is asked of an archive of n rounds, which came from so many
// sources. The last one adds to it.
func (t *table) questions(s store.Store, a *archive.Archive, bin, address string, n, sources int) []question {
	backtest := func(market, sampling string) func(context.Context) (cost, error) {
		return func(ctx context.Context) (cost, error) {
			return t.program(ctx, 3, strategy(market, 10), bin, "backtest", "--strategy", "-", "--archive", address, "--sampling", sampling, "--json", "--quiet", "--keep=false")
		}
	}
	page := store.Page{Limit: 50}
	found := func(text string) func(context.Context) (cost, error) {
		return func(ctx context.Context) (cost, error) {
			return t.fastest(func() error { return search(ctx, a, text, page) })
		}
	}
	return []question{
		{"`backtest`, last 100 of a series", backtest(oneSeries, "recent")},
		{"`backtest`, last 100 of any", backtest(anySeries, "recent")},
		{"`backtest`, random 100 of a series", backtest(oneSeries, "random")},
		{"`backtest`, random 100 of any", backtest(anySeries, "random")},
		{"`archive info`", func(ctx context.Context) (cost, error) {
			return t.program(ctx, 3, "", bin, "archive", "info", "--archive", address)
		}},
		{"`archive verify`", func(ctx context.Context) (cost, error) {
			return t.program(ctx, 1, "", bin, "archive", "verify", "--archive", address, "--quiet")
		}},
		{"`GET /v1/archive`", func(ctx context.Context) (cost, error) { return t.serve(ctx, bin, address, t.askArchive) }},
		{"server, eight backtests at once", func(ctx context.Context) (cost, error) { return t.serve(ctx, bin, address, t.askBacktests) }},
		{"search, first page, found", found("eth-updown-15m")},
		{"search, first page, nothing found", found("no such round")},
		{"search of two letters, nothing found", found("qq")},
		{"search of a letter that nothing has", found("\x01")},
		{"search, first page, the slowest but one of 100", func(ctx context.Context) (cost, error) {
			return t.slow(func(i int) error { return search(ctx, a, searched(i, n), page) })
		}},
		{"search with a filter, first page, the slowest but one of 100", func(ctx context.Context) (cost, error) {
			return t.slow(func(i int) error { return searchFiltered(ctx, a, i, n) })
		}},
		{"list with a filter that nothing passes", func(ctx context.Context) (cost, error) {
			return t.slow(func(i int) error { return list(ctx, a, filters[i%3], page) })
		}},
		{"days of `/v1/archive`", func(ctx context.Context) (cost, error) {
			return t.fastest(func() error { _, err := a.Days(ctx, ""); return err })
		}},
		{"one more day", func(ctx context.Context) (cost, error) {
			return t.once(func() error {
				return write(ctx, s, last+market.Span(sources)*market.Day, math.MaxInt, false)
			})
		}},
	}
}

const (
	oneSeries = `"coin":"BTC","market_type":"5m"`
	anySeries = `"coin":"ANY","market_type":"ANY"`
)

// strategy returns one over the newest 100 rounds of a kind of market.
func strategy(kind string, budget int) string {
	return fmt.Sprintf(`{"market":{%s},"side":"up","entry":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":60,"within_seconds":null}],
		"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":%d,"sample_size":100}`, kind, budget)
}

func create(ctx context.Context, address string) (s store.Store, err error) {
	if strings.Contains(address, "://") {
		s, _, err = postgres.Create(ctx, address)
		return s, err
	}
	s, _, err = sqlite.Create(ctx, address)
	return s, err
}

func search(ctx context.Context, a *archive.Archive, text string, p store.Page) error {
	_, err := a.Markets(ctx, store.MarketQuery{Search: text, Page: p})
	return err
}

// filters are of lists: what nothing passes, and then those that some pass.
var filters = []store.MarketQuery{
	{OpenOnly: true}, {Category: market.Sports}, {Tags: []string{"nothing"}},
	{Category: market.Crypto}, {Dates: store.Dates{EndMax: last - market.Day/2}}, {Dates: store.Dates{StartMin: last - market.Day/2}},
}

func list(ctx context.Context, a *archive.Archive, q store.MarketQuery, p store.Page) error {
	q.Page = p
	_, err := a.Markets(ctx, q)
	return err
}

// searchFiltered is one of many searches: pieces of slugs, filters, and orders.
func searchFiltered(ctx context.Context, a *archive.Archive, i, n int) error {
	q := filters[i%len(filters)]
	q.Search = searched(i, n)
	return list(ctx, a, q, store.Page{Limit: 50, Sort: store.Sort(i / 2 % 3), Ascending: i/3%2 == 0})
}

// program runs the program so many times, below /usr/bin/time: the most memory that a
// process held is counted from before it became the program.
func (m meter) program(ctx context.Context, times int, stdin, bin string, args ...string) (cost, error) {
	var out cost
	held, err := os.CreateTemp("", "growth-")
	if err != nil {
		return out, err
	}
	defer os.Remove(held.Name())
	defer held.Close()
	for range times {
		cmd := exec.CommandContext(ctx, "/usr/bin/time", append([]string{"-f", "%M", "-o", held.Name(), bin}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		c, err := m.once(func() error {
			text, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%s %s: %w: %s", bin, strings.Join(args, " "), err, text)
			}
			return err
		})
		if err != nil {
			return out, err
		}
		if out.seconds == 0 || c.seconds < out.seconds {
			out.seconds = c.seconds
		}
		text, err := os.ReadFile(held.Name())
		if err != nil {
			return out, err
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			return out, err
		}
		out.bytes = max(out.bytes, kilobytes<<10)
	}
	return out, nil
}

// searched returns a piece of three letters or more of the slug of a round, of which there
// are n.
func searched(i, n int) string {
	days := n/4140 + 1
	at := last - market.Span(1+i*37%days)*market.Day + market.Span(i*7%24)*market.Hour
	slug := fmt.Sprintf("%s-updown-%s-%d", strings.ToLower(coins[i%len(coins)]), market.FormatLength(lengths[i%len(lengths)]), at/market.Second)
	from := i * 5 % (len(slug) - 3)
	return slug[from:min(len(slug), from+3+i%20)]
}

// slow runs f a hundred times, and returns what the slowest but one took.
func (m meter) slow(f func(i int) error) (cost, error) {
	var all []cost
	for i := range 100 {
		c, err := m.once(func() error { return f(i) })
		if err != nil {
			return c, err
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b cost) int { return cmp.Compare(a.seconds, b.seconds) })
	return all[len(all)-2], nil
}

// fastest runs f twenty times.
func (m meter) fastest(f func() error) (cost, error) {
	var out cost
	for range 20 {
		c, err := m.once(f)
		if err != nil {
			return out, err
		}
		if out.seconds == 0 || c.seconds < out.seconds {
			out = c
		}
	}
	return out, nil
}

// The rounds of a day are those of ten coins and four lengths.
var (
	coins   = []string{"BTC", "ETH", "SOL", "XRP", "DOGE", "BNB", "HYPE", "ADA", "LTC", "LINK"}
	lengths = []market.Span{5 * market.Minute, 15 * market.Minute, market.Hour, 4 * market.Hour}
)

const (
	// last is the day that begins when the newest of the archive's rounds end.
	last = 1_790_812_800 * market.Second
	// captured is how many rounds of BTC 5m, the newest, have captures: those of a day,
	// of which every archive has all.
	captured = 288
)

// fill writes n rounds, a source a day, the oldest first. It goes on from the sources that
// the archive has.
func fill(ctx context.Context, s store.Store, n int, have []store.Source) error {
	perDay := 0
	for _, l := range lengths {
		perDay += len(coins) * int(market.Day/l)
	}
	days := (n + perDay - 1) / perDay
	have = slices.DeleteFunc(slices.Clone(have), func(s store.Source) bool { return !s.Complete })
	for d := len(have); d < days; d++ {
		most := perDay
		if d == 0 {
			most = n - (days-1)*perDay
		}
		if err := write(ctx, s, last-market.Span(days-d)*market.Day, most, true); err != nil {
			return err
		}
	}
	return nil
}

// write writes up to so many of the latest rounds of a day, as one source.
func write(ctx context.Context, s store.Store, start market.Instant, most int, capture bool) error {
	name := fmt.Sprint("day ", start)
	imp, err := intake.New(s, intake.Config{}).Begin(ctx, store.Source{
		SHA256: sha256.Sum256([]byte(name)), Name: name, Format: "growth", Authority: store.FromExchange, Licence: "CC0-1.0", ImportedAt: start,
	})
	if err != nil {
		return err
	}
	defer imp.Close()
	for _, m := range rounds(start, most) {
		one, err := imp.Market(ctx, m)
		if err != nil {
			return err
		}
		if capture && m.Coin == "BTC" && m.Type == "5m" && m.End > last-captured*5*market.Minute {
			for at := m.Start; at < m.End; at += 20 * market.Second {
				q := market.Quote{Bid: market.Level{Price: 4900, Size: market.SizeOne * 100}, Ask: market.Level{Price: 5000, Size: market.SizeOne * 100}}
				if err := one.Add(&market.Capture{Kind: market.KindQuote, Recv: at, Exch: at, Quote: q}); err != nil {
					return err
				}
			}
		}
		if err := one.Done(ctx); err != nil {
			return err
		}
	}
	_, err = imp.Finish(ctx, intake.End{})
	return err
}

// rounds returns up to so many rounds of a day, in order of their ends: those of BTC 5m,
// and the latest of the others.
func rounds(start market.Instant, most int) []market.Market {
	var out []market.Market
	for _, length := range lengths {
		for _, coin := range coins {
			for at := start; at < start+market.Day; at += length {
				typ := market.FormatLength(length)
				slug := fmt.Sprintf("%s-updown-%s-%d", strings.ToLower(coin), typ, at/market.Second)
				id := sha256.Sum256([]byte(slug))
				out = append(out, market.Market{
					Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%x", id), AltID: fmt.Sprint(altID(at, len(out))),
					Slug: slug, Question: fmt.Sprintf("%s Up or Down - %s", market.CoinName(coin), at), Category: market.Crypto, Coin: coin, Type: typ,
					Tags:  []string{"crypto", "crypto-prices", "recurring", "up-or-down", strings.ToLower(coin), typ},
					Start: at, End: at + length, Closed: true, ClosedAt: at + length, Tick: 100, MinSize: 5 * market.SizeOne,
					Tokens: []market.Token{{VenueID: digits(id, 1), Label: "Up", Outcome: market.Up}, {VenueID: digits(id, 2), Label: "Down", Outcome: market.Down}},
					Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}},
				})
			}
		}
	}
	rest := captured // that may be left out are those behind the captured, the newest first
	slices.SortStableFunc(out[rest:], func(a, b market.Market) int { return cmp.Compare(b.End, a.End) })
	out = out[:min(len(out), most)]
	slices.SortStableFunc(out, func(a, b market.Market) int { return cmp.Compare(a.End, b.End) })
	return out
}

// altID returns the exchange's other id of the n-th round of a day: it counts its markets
// in the order in which it makes them.
func altID(start market.Instant, n int) int64 {
	return int64(start/market.Minute)*4140 + int64(n)
}

// digits returns a token's id as long as those of the exchange.
func digits(id [32]byte, token byte) string {
	var b strings.Builder
	for i := range 76 {
		b.WriteByte('0' + (id[i%32]+token*byte(1+i/32))%10)
	}
	return strconv.Itoa(int(token)) + b.String()
}
