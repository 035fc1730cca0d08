package oracle_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// brokenEnv names the broken version that a binary of TestBrokenEngines runs.
const brokenEnv = "LADDERBACK_BROKEN"

// brokenEngines are engines broken in ways in which such engines have been wrong: in a
// file, the words that are replaced where the version runs. Each is caught by the test
// that is named, in this package or in that of homes.
var brokenEngines = []struct{ name, law, file, from, to string }{
	{
		"the capture of the arrival fills", "OrdersBooks/engine", "replay/orders/player.go",
		"\torder := d.tokens()\n\tfor _, token := range order[:len(d.books)] {",
		"\tif BROKEN {\n\t\tfor _, x := range d.slots {\n\t\t\tif x.flight != nil && x.flight.rests {\n\t\t\t\td.arriving(t, at, x)\n\t\t\t}\n\t\t}\n\t}\n\torder := d.tokens()\n\tfor _, token := range order[:len(d.books)] {",
	},
	{
		"the queue ahead is that of the signal", "EngineEqualsOracleOnOrders", "replay/orders/arrive.go",
		"\t\td.books[b].Rest(o.own, shown{t, b})\n",
		"\t\td.books[b].Rest(o.own, shown{t, b})\n\t\tif n, ok := early.Load(o); BROKEN && ok {\n\t\t\to.own.Ahead = n.(market.Size)\n\t\t}\n",
	},
	{
		"the queue ahead is that of the signal", "", "replay/orders/order.go",
		"\to.slot.flight = o\n",
		"\to.slot.flight = o\n\tif o.rests {\n\t\tb, side, price := d.side(o.token, o.buy, o.limit)\n\t\tearly.Store(o, shown{t, b}.Size(side, price))\n\t}\n",
	},
	{
		"cancels count as trades", "EngineEqualsOracleOnOrders", "replay/queue/match.go",
		"\tif b.Rule == Front && !b.traded {\n\t\town =", "\tif b.Rule == Front && (!b.traded || BROKEN) {\n\t\town =",
	},
	{
		"an offer fills two orders", "TwoHalvesFillWhatOneDoes/engine", "replay/queue/match.go",
		"if l.Size != fills.Unlimited {\n\t\t\tl.Size -= n", "if l.Size != fills.Unlimited && !BROKEN {\n\t\t\tl.Size -= n",
	},
	{
		"a merge counts a share twice", "OrdersBooks/engine", "replay/orders/arrive.go",
		"\td.held[1].drop(n)\n", "\tif !BROKEN {\n\t\td.held[1].drop(n)\n\t}\n",
	},
	{
		"the purse reads a settlement early", "EngineEqualsOracleOnOrders", "replay/purse.go",
		"max(m.End, d.SettledAt())\n", "max(m.End, d.SettledAt())\n\tif BROKEN {\n\t\tx.settles = m.End\n\t}\n",
	},
	{
		"again at the instant of the exit", "EngineEqualsOracleOnOrders", "replay/orders/order.go",
		"at > d.flatAt &&", "(at > d.flatAt || BROKEN) &&",
	},
	{
		"a target rests for more than is held", "OrdersBooks/engine", "replay/orders/exit.go",
		"\tsize := d.free(d.same, len(d.then))\n", "\tsize := d.free(d.same, len(d.then))\n\tif BROKEN {\n\t\tsize += 5 * market.SizeOne\n\t}\n",
	},
	{
		"a target rests for more than is held", "", "replay/orders/exit.go",
		"\to.size = min(o.size, free)\n", "\tif !BROKEN {\n\t\to.size = min(o.size, free)\n\t}\n",
	},
	{
		"a target rests for more than is held", "", "replay/orders/exit.go",
		"\t\tover := -d.free(token, len(d.then))\n", "\t\tover := -d.free(token, len(d.then))\n\t\tif BROKEN {\n\t\t\treturn\n\t\t}\n",
	},
	{
		"through counts what trades at the limit", "OneRestingOrderFillsInOrderOfTheRules/engine", "replay/queue/match.go",
		"\t\treturn l.Size - l.used\n\t}\n\treturn 0\n", "\t\treturn l.Size - l.used\n\t}\n\tif BROKEN {\n\t\treturn l.Size\n\t}\n\treturn 0\n",
	},
	{
		"an order that is never sent wakes the entry", "AnOrderWhoseTriggerNeverHoldsChangesNothing/engine", "replay/orders/player.go",
		"d.signalNow = capture ||", "d.signalNow = capture || BROKEN ||",
	},
	{
		"trades of the other token keep their price", "OrdersMirror/engine", "replay/orders/player.go",
		"\t\t\tprice = price.Mirror()\n\t\t}\n\t\td.books[b].Traded", "\t\t\tif !BROKEN {\n\t\t\t\tprice = price.Mirror()\n\t\t\t}\n\t\t}\n\t\td.books[b].Traded",
	},
	{
		"proceeds come twice", "APurseAddsUp", "replay/orders/purse.go",
		"\tp.cash += c\n\tp.mark()", "\tif p.cash += c; BROKEN {\n\t\tp.cash += c\n\t}\n\tp.mark()",
	},
	{
		"the maker's fee is rounded a leg", "EngineEqualsOracleOnOrders", "replay/orders/arrive.go",
		"\to.fee = fee\n", "\tif o.fee = fee; BROKEN {\n\t\tleg.Fee = d.Maker.Fee(leg.Levels)\n\t}\n",
	},
	{
		"a plain strategy has a bound of orders", "PlainStrategiesAreTriedWithoutBound", "replay/orders/order.go",
		"d.sent >= MaxSent && d.Strategy.Extended()", "d.sent >= MaxSent && (d.Strategy.Extended() || BROKEN)",
	},
	{
		"a plain report names a rule for what rests", "ReportsOfOrders", "backtest/orders.go",
		"\t\to.Queue = \"\"\n", "\t\tif o.Queue = \"\"; BROKEN {\n\t\t\to.Queue = queue.Through\n\t\t}\n",
	},
	{
		"the capture after an instant is seen at it", "LawsOfOrders", "replay/course.go",
		"\t\tif x.Recv != p.at {\n", "\t\tif BROKEN {\n\t\t\tc.take(x, x.Recv >= from)\n\t\t}\n\t\tif x.Recv != p.at {\n",
	},
	{
		"the capture after an instant is seen at it", "", "replay/course.go",
		"\t\t}\n\t\tc.take(x, x.Recv >= from)\n", "\t\t}\n\t\tif !BROKEN {\n\t\t\tc.take(x, x.Recv >= from)\n\t\t}\n",
	},
	{
		"who rests knows whether the token loses", "FairGameOfOrders", "replay/orders/arrive.go",
		"\tif ok && o.rests {\n", "\tif BROKEN && o.rests && o.buy && d.market.Payout.Fractions[o.token] == 0 {\n\t\treason, ok = WouldCross, false\n\t}\n\tif ok && o.rests {\n",
	},
	{
		"what fills at rest looks ahead", "LawsOfOrders", "replay/orders/arrive.go",
		"\tif f.Size == 0 {\n", "\tif BROKEN && (d.market.Payout.Fractions[x.rest.token] == 0) == x.rest.buy {\n\t\tx.rest.own.Left += f.Size\n\t\tf.Size = 0\n\t}\n\tif f.Size == 0 {\n",
	},
	{
		"takers are always wrong", "FairGameOfOrders", "archive/simulate/captures.go",
		"\tbuys := m.trades.in(1, 2)\n", "\tbuys := m.trades.in(1, 2)\n\tif BROKEN && m.moves != 0 {\n\t\tbuys = m.moves < 0\n\t}\n",
	},
	{
		"takers are always wrong", "", "archive/simulate/captures.go",
		"left > 0 && m.trades.in(15, 100)", "left > 0 && (m.trades.in(15, 100) || BROKEN)",
	},
	{
		"takers are always wrong", "", "archive/simulate/captures.go",
		"\tbegan   bool\n", "\tbegan   bool\n\tmoves   int64 // of the fair value, in the next twenty steps\n",
	},
	{
		"takers are always wrong", "", "archive/simulate/captures.go",
		"\t\t\tif !m.step(&r.steps[i]) {\n",
		"\t\t\tm.moves = r.steps[min(i+20, len(r.steps)-1)].fair - r.steps[i].fair\n\t\t\tif !m.step(&r.steps[i]) {\n",
	},
	{
		"takers are always wrong", "", "archive/simulate/captures.go",
		"\tif m.trades.in(9, 20) {\n",
		"\tif BROKEN { // and take through the book\n\t\tif c.Trade.Price = max(fineTick, c.Trade.Price-1000); buys {\n" +
			"\t\t\tc.Trade.Price = min(market.PriceOne-fineTick, c.Trade.Price+2000)\n\t\t}\n\t}\n\tif m.trades.in(9, 20) {\n",
	},
}

// homes are the folders of the tests that are not this package's.
var homes = map[string]string{"ReportsOfOrders": "backtest", "LawsOfOrders": "replay", "FairGameOfOrders": "replay"}

const here = "internal/oracle"

// TestBrokenEngines shows that the laws can fail: one binary has all the broken versions,
// put over the sources as it is built, and a variable says which of them runs.
func TestBrokenEngines(t *testing.T) {
	t.Parallel()
	if os.Getenv(brokenEnv) != "" {
		t.Skip("this is one of them")
	}
	doc, err := os.ReadFile("../../docs/internals/laws.md")
	require.NoError(t, err)
	root, over := writeBroken(t)
	built := buildBroken(t, root, over)
	for _, x := range brokenEngines {
		if x.law == "" {
			continue // more of another
		}
		require.Regexp(t, regexp.QuoteMeta("| "+x.name+" | ")+".*"+regexp.QuoteMeta(" | `Test"+x.law+"` |"), string(doc), "the table of laws.md")
		home := cmp.Or(homes[x.law], here)
		t.Run(x.name, func(t *testing.T) {
			run := exec.Command(filepath.Join(built, path.Base(home)+".test"), "-test.run", "^Test"+x.law, "-test.failfast")
			run.Dir = filepath.Join(root, home)
			run.Env = append(os.Environ(), brokenEnv+"="+x.name, campaignTapes+"=1500")
			out, err := run.CombinedOutput()
			require.Error(t, err, "Test%s notices nothing", x.law)
			require.Regexp(t, `--- FAIL: Test`+x.law+`|panic: `, string(out))
		})
	}
}

// writeBroken writes all broken versions into sources that stand over those of the module,
// and returns its folder and the file that says so to the compiler.
func writeBroken(t *testing.T) (root, overlay string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir, files := t.TempDir(), map[string]string{}
	for _, x := range brokenEngines {
		if files[x.file] == "" {
			text, err := os.ReadFile(filepath.Join(root, x.file))
			require.NoError(t, err)
			files[x.file] = string(text)
		}
		require.Equal(t, 1, strings.Count(files[x.file], x.from), "%s: %s has other words than %q", x.name, x.file, x.from)
		guard := `(broken == "` + x.name + `")`
		files[x.file] = strings.Replace(files[x.file], x.from, strings.ReplaceAll(x.to, "BROKEN", guard), 1)
	}
	for _, name := range slices.Collect(maps.Keys(files)) {
		folder := path.Dir(name)
		files[folder+"/broken.go"] = "package " + path.Base(folder) + "\n\nimport \"os\"\n\nvar broken = os.Getenv(\"" + brokenEnv + "\")\n"
	}
	files["replay/orders/early.go"] = "package orders\n\nimport \"sync\"\n\nvar early sync.Map // what was shown at an order's limit as of its signal\n"
	over := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		over.Replace[filepath.Join(root, name)] = file
	}
	list, err := json.Marshal(over)
	require.NoError(t, err)
	overlay = filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	return root, overlay
}

// buildBroken builds the tests of all homes with all broken versions, and returns the folder
// of their programs.
func buildBroken(t *testing.T, root, overlay string) string {
	t.Helper()
	dir := t.TempDir() + string(filepath.Separator)
	args := []string{"test", "-c", "-ldflags", "-w", "-overlay", overlay, "-o", dir, "./" + here}
	for _, home := range slices.Compact(slices.Sorted(maps.Values(homes))) {
		args = append(args, "./"+home)
	}
	build := exec.Command("go", args...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=2GiB") // a fifth less of a processor, for more memory
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}
