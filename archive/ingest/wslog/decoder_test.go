package wslog_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
)

// book1 is a book as the exchange sends it, best last.
const book1 = `{"market":"0xab","asset_id":"71","timestamp":"1776081408433","hash":"de1f","bids":[{"price":"0.01","size":"12480.06"},{"price":"0.49","size":"1355.05"}],"asks":[{"price":"0.99","size":"11489.94"},{"price":"0.5","size":"7"}],"tick_size":"0.01","event_type":"book","last_trade_price":"0.500"}`

const book1Text = "asset=71 recv=1776081409871942 exch=1776081408433000 bids=[4900 1355050000][100 12480060000] asks=[5000 7000000][9900 11489940000]"

// cases are lines with what they say; several are seeds of the fuzz target.
var cases = []struct {
	name, line string
	want       []string
}{
	{"wrapped", `{"recv":1776081409.871942,"slug":"btc-updown-5m-1776081600","msg":` + book1 + `}`,
		[]string{"book slug=btc-updown-5m-1776081600 market=0xab " + book1Text}},
	{"receive time last", `{"msg":` + book1 + `,"recv":"1776081409.871942"}`,
		[]string{"book slug= market=0xab " + book1Text}},
	{"payload, milliseconds", `{"capturedAt":1776081409871.942,"payload":` + book1 + `}`,
		[]string{"book slug= market=0xab " + book1Text}},
	{"payload, RFC 3339", `{"capturedAt":"2026-04-13T11:56:49.871942+00:00","payload":` + book1 + `}`,
		[]string{"book slug= market=0xab " + book1Text}},
	{"bare: the exchange's clock is the only one", book1,
		[]string{"book slug= market=0xab asset=71 recv=1776081408433000 exch=1776081408433000 bids=[4900 1355050000][100 12480060000] asks=[5000 7000000][9900 11489940000]"}},
	{"bare with a receive time of its own", `{"recv":1776081409.871942,` + book1[1:],
		[]string{"book slug= market=0xab " + book1Text}},
	{"array of bare messages", `[` + book1 + `,` + book1 + `]`, []string{
		"book slug= market=0xab asset=71 recv=1776081408433000 exch=1776081408433000 bids=[4900 1355050000][100 12480060000] asks=[5000 7000000][9900 11489940000]",
		"book slug= market=0xab asset=71 recv=1776081408433000 exch=1776081408433000 bids=[4900 1355050000][100 12480060000] asks=[5000 7000000][9900 11489940000]",
	}},
	{"array within a wrapper", `{"recv":1776081409.871942,"slug":"s","msg":[` + book1 + `,7]}`,
		[]string{"book slug=s market=0xab " + book1Text, rejected}},
	{"empty array", `[]`, nil},
	{"blank", "  \t ", nil},
	{"no event type", `{"asset_id":"1","timestamp":"1776081408433","bids":[],"asks":[]}`,
		[]string{"book slug= market= asset=1 recv=1776081408433000 exch=1776081408433000 bids= asks="}},
	{"missing sides", `{"asset_id":"1","timestamp":"1776081408433","bids":null,"event_type":"book"}`,
		[]string{"book slug= market= asset=1 recv=1776081408433000 exch=1776081408433000 bids= asks="}},
	{"no side at all", `{"asset_id":"1","timestamp":"1776081408433","event_type":"book"}`, []string{rejected}},
	{"best first, numbers, exponents, duplicates, zeros", `{"asset_id":"1","timestamp":"1000000000","event_type":"book","recv":1e9,` +
		`"bids":[{"size":5,"price":0.5},{"price":"4e-1","size":"1.5E1"},{"price":"0.4000","size":"2"},{"price":0.3,"size":0}],` +
		`"asks":[{"price":0.60,"size":1},{"price":"0.55","size":"3"},{"price":"1","size":"9.000001"}]}`,
		[]string{"book slug= market= asset=1 recv=1000000000000000 exch=1000000000000000 bids=[5000 5000000][4000 2000000] asks=[5500 3000000][6000 1000000][10000 9000001]"}},
	{"price_change: one capture a token", `{"recv":1776081409.5,"msg":{"market":"0xab","timestamp":"1776081409000","event_type":"price_change","price_changes":[` +
		`{"asset_id":"71","price":"0.49","size":"0","side":"BUY","best_bid":"0.48","best_ask":"0.5"},` +
		`{"asset_id":"72","price":"0.51","size":"0","side":"SELL"},` +
		`{"asset_id":"71","price":"0.5","size":"12.5","side":"SELL"}]}}`, []string{
		"change slug= market=0xab asset=71 recv=1776081409500000 exch=1776081409000000 bids=[4900 0] asks=[5000 12500000]",
		"change slug= market=0xab asset=72 recv=1776081409500000 exch=1776081409000000 bids= asks=[5100 0]",
	}},
	{"price_change, older form", `{"asset_id":"71","timestamp":"1776081409000","event_type":"price_change","changes":[{"price":"0.4","side":"SELL","size":"3300"}]}`,
		[]string{"change slug= market= asset=71 recv=1776081409000000 exch=1776081409000000 bids= asks=[4000 3300000000]"}},
	{"price_change with a bad level", `{"asset_id":"71","timestamp":"1776081409000","event_type":"price_change","changes":[{"price":"0.4","side":"HOLD","size":"3300"}]}`,
		[]string{rejected}},
	{"trade", `{"recv":1776081409.5,"slug":"s","msg":{"asset_id":"71","event_type":"last_trade_price","fee_rate_bps":"0","market":"0xab","price":"0.456","side":"SELL","size":"219.217767","timestamp":"1776081409000"}}`,
		[]string{"trade slug=s market=0xab asset=71 recv=1776081409500000 exch=1776081409000000 4560 219217767 ask"}},
	{"trade without size and side", `{"asset_id":"71","event_type":"last_trade_price","price":0.5,"timestamp":1776081409000}`,
		[]string{"trade slug= market= asset=71 recv=1776081409000000 exch=1776081409000000 5000 0 unknown"}},
	{"tick", `{"asset_id":"71","event_type":"tick_size_change","old_tick_size":"0.01","new_tick_size":"0.001","timestamp":"1776081409000"}`,
		[]string{"tick slug= market= asset=71 recv=1776081409000000 exch=1776081409000000 10"}},
	{"quote", `{"asset_id":"71","event_type":"best_bid_ask","best_bid":"0.73","best_ask":"0.77","spread":"0.04","timestamp":"1776081409000"}`,
		[]string{"quote slug= market= asset=71 recv=1776081409000000 exch=1776081409000000 7300 7700"}},
	{"quote with empty sides", `{"asset_id":"71","event_type":"best_bid_ask","best_bid":"0","best_ask":"1","timestamp":"1776081409000"}`,
		[]string{"quote slug= market= asset=71 recv=1776081409000000 exch=1776081409000000 -1 -1"}},
	{"resolved", `{"recv":1776081999,"slug":"s","msg":{"market":"0xab","assets_ids":["71","72"],"outcomes":["Up","Down"],"winning_asset_id":"72","winning_outcome":"Down","timestamp":"1776081998000","event_type":"market_resolved"}}`,
		[]string{`resolved slug=s market=0xab asset= recv=1776081999000000 exch=1776081998000000 ["71" "72"] ["Up" "Down"] 72 "Down"`}},
	{"resolved for a token that is none", `{"market":"0xab","assets_ids":["71","72"],"outcomes":["Up","Down"],"winning_asset_id":"73","timestamp":"1776081998000","event_type":"market_resolved"}`,
		[]string{rejected}},
	{"new market", `{"market":"0xab","slug":"s","assets_ids":["71","72"],"outcomes":["Up","Down"],"timestamp":"1776081998000","event_type":"new_market","event_message":{"id":"1"}}`,
		[]string{`listing slug=s market=0xab asset= recv=1776081998000000 exch=1776081998000000 ["71" "72"] ["Up" "Down"]`}},
	{"gap", `{"recv":1776081700,"slug":"s","gap":{"from":1776081690,"to":"1776081699.5"}}`,
		[]string{"gap slug=s market= asset= recv=1776081700000000 exch=0 1776081690000000-1776081699500000"}},
	{"gap that ends before it begins", `{"recv":1776081700,"slug":"s","gap":{"from":1776081690,"to":1776081690}}`, []string{rejected}},
	{"gap of no market", `{"recv":1776081700,"gap":{"from":1776081690,"to":1776081699}}`, []string{rejected}},
	{"reset", `{"recv":1776081700,"reset":true}`, []string{"reset slug= market= asset= recv=1776081700000000 exch=0"}},
	{"reset of nothing", `{"recv":1776081700,"reset":false}`, []string{rejected}},
	{"gap and reset", `{"recv":1776081700,"slug":"s","gap":{"from":1776081690,"to":1776081699},"reset":true}`, []string{
		"gap slug=s market= asset= recv=1776081700000000 exch=0 1776081690000000-1776081699000000",
		"reset slug=s market= asset= recv=1776081700000000 exch=0",
	}},
	{"heartbeat", `PONG`, []string{"not JSON"}},
	{"cut short", book1[:200], []string{"not JSON"}},
	{"two values", `{"recv":1}{"recv":2}`, []string{"not JSON"}},
	{"binary", "\x00\x01\xff\xfe{", []string{"not JSON"}},
	{"user channel", `{"event_type":"order","asset_id":"1","price":"0.5","timestamp":"1776081409000"}`, []string{rejected}},
	{"subscription answer", `{"recv":1776081700,"msg":{"type":"subscribed"}}`, []string{rejected}},
	{"escaped members", `{"\u0061sset_id":"7\u0031","timestamp":"1776081409000","b\u0069ds":[{"pric\u0065":"0.\u0035","size":"1"}]}`,
		[]string{"book slug= market= asset=71 recv=1776081409000000 exch=1776081409000000 bids=[5000 1000000] asks="}},
	{"deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), []string{"not JSON"}},
	{"time in nanoseconds", `{"recv":1776081409871942123,"msg":` + book1 + `}`,
		[]string{"book slug= market=0xab " + book1Text}},
	{"msg and payload", `{"recv":1,"msg":{},"payload":{}}`, []string{rejected}},
}

func seeds() []string {
	var out []string
	for _, c := range cases {
		out = append(out, c.line)
	}
	for _, c := range reasons {
		out = append(out, c.line)
	}
	return out
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var d wslog.Decoder
			require.Equal(t, c.want, describeAll(d.Decode([]byte(c.line))), "scanner: %s", c.line)
			require.Equal(t, c.want, refDecode([]byte(c.line)), "reference: %s", c.line)
		})
	}
}

const bookOf = `{"asset_id":"1","timestamp":"1776081409000","event_type":"book","bids":[{"price":%P,"size":%S}],"asks":[]}`

func bookWith(price, size string) string {
	return strings.NewReplacer("%P", price, "%S", size).Replace(bookOf)
}

var reasons = []struct {
	line string
	want stream.Reason
}{
	{bookWith(`"0.5"`, `"1"`), stream.OK},
	{bookWith(`"1.2"`, `"1"`), stream.PriceRange},
	{bookWith(`"-0.1"`, `"1"`), stream.PriceRange},
	{bookWith(`1e5`, `"1"`), stream.PriceRange},
	{bookWith(`"0.12345"`, `"1"`), scalar.PricePrecision},
	{bookWith(`"0.12340"`, `"1"`), stream.OK},
	{bookWith(`"abc"`, `"1"`), scalar.BadPrice},
	{bookWith(`""`, `"1"`), scalar.BadPrice},
	{bookWith(`null`, `"1"`), scalar.BadPrice},
	{bookWith(`{}`, `"1"`), scalar.BadPrice},
	{bookWith(`" 0.5"`, `"1"`), scalar.BadPrice},
	{bookWith(`"NaN"`, `"1"`), scalar.BadPrice},
	{bookWith(`"0.5"`, `"-1"`), scalar.NegativeSize},
	{bookWith(`"0.5"`, `-1`), scalar.NegativeSize},
	{bookWith(`"0.5"`, `"1e30"`), scalar.SizeRange},
	{bookWith(`"0.5"`, `"0.0000001"`), scalar.SizePrecision},
	{bookWith(`"0.5"`, `"1,000"`), scalar.BadSize},
	{bookWith(`"0.5"`, `true`), scalar.BadSize},
	{bookWith(`"0.5"`, `.5`), stream.BadJSON},
	{bookWith(`"0.5"`, `01`), stream.BadJSON},
	{`{"asset_id":"1","timestamp":"1776081409000","bids":[["0.5","1"]]}`, stream.BadLevel},
	{`{"asset_id":"1","timestamp":"1776081409000","bids":{}}`, stream.BadLevel},
	{`{"asset_id":"1","bids":[]}`, stream.NoTime},
	{`{"asset_id":"1","timestamp":"yesterday","bids":[]}`, stream.BadTime},
	{`{"asset_id":"1","timestamp":"-5","bids":[]}`, stream.BadTime},
	{`{"asset_id":"1","timestamp":"5e12","bids":[]}`, stream.BadTime},
	{`{"recv":"never","msg":{"asset_id":"1","bids":[]}}`, stream.BadTime},
	{`{"timestamp":"1776081409000","bids":[]}`, stream.NoToken},
	{`{"asset_id":"a b","timestamp":"1776081409000","bids":[]}`, stream.BadID},
	{`{"asset_id":["1"],"timestamp":"1776081409000","bids":[]}`, stream.BadID},
	{`{"asset_id":"` + strings.Repeat("1", 201) + `","timestamp":"1776081409000","bids":[]}`, stream.BadID},
	{`{"event_type":"order","timestamp":"1776081409000"}`, stream.UnknownEvent},
	{`{"event_type":7,"timestamp":"1776081409000"}`, stream.UnknownEvent},
	{`"text"`, stream.NotAMessage},
	{`{}`, stream.NotAMessage},
	{`{"recv":1776081409,"msg":null}`, stream.NotAMessage},
	{`{"recv":1776081409,"msg":{},"payload":{}}`, stream.BadWrapper},
	{`{"recv":1776081409,"gap":true,"slug":"s"}`, stream.BadGap},
	{`{"recv":1776081409,"gap":{"from":2,"to":1},"slug":"s"}`, stream.BadGap},
	{`{"recv":1776081409,"gap":{"from":1776081401,"to":1776081402}}`, stream.NoMarket},
	{`{"reset":true}`, stream.NoTime},
	{`{"event_type":"book","asset_id":"1","timestamp":"1776081409000"}`, stream.NoLevels},
	{`{"event_type":"price_change","asset_id":"1","timestamp":"1776081409000","changes":[]}`, stream.NoLevels},
	{`{"event_type":"price_change","timestamp":"1776081409000","price":"0.5","size":"1","side":"BUY"}`, stream.NoToken},
	{`{"event_type":"price_change","asset_id":"1","timestamp":"1776081409000","price":"0.5","size":"1"}`, stream.BadSide},
	{`{"event_type":"last_trade_price","asset_id":"1","timestamp":"1776081409000","price":"0.5","side":"LONG"}`, stream.BadSide},
	{`{"event_type":"tick_size_change","asset_id":"1","timestamp":"1776081409000","new_tick_size":"0"}`, stream.PriceRange},
	{`{"event_type":"market_resolved","market":"0x1","timestamp":"1776081409000"}`, stream.BadOutcome},
	{`{"event_type":"market_resolved","timestamp":"1776081409000","winning_asset_id":"1"}`, stream.NoMarket},
	{`{"event_type":"new_market","market":"0x1","timestamp":"1776081409000","assets_ids":["1"],"outcomes":["Up","Down"]}`, stream.BadOutcome},
	{`{"event_type":"market_resolved","market":"0x1","timestamp":"1776081409000","assets_ids":["1"],"outcomes":["Up"],"winning_outcome":"Down"}`, stream.WinnerNotAToken},
}

func TestReasons(t *testing.T) {
	t.Parallel()
	var d wslog.Decoder
	for _, c := range reasons {
		msgs := d.Decode([]byte(c.line))
		require.Len(t, msgs, 1, c.line)
		require.Equal(t, c.want.String(), msgs[0].Reject.String(), c.line)
		require.Equal(t, refDecode([]byte(c.line)), describeAll(msgs), c.line)
	}
}

// TestMutations: single bytes of good lines changed, cut and doubled.
func TestMutations(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte(`"{}[]:,.0123456789eE+-\ntfu` + "\x00\x7f\xc3")
	var d wslog.Decoder
	for n := range 12_000 {
		line := []byte(cases[rnd.IntN(len(cases))].line)
		for range 1 + n%2 {
			if len(line) == 0 {
				break
			}
			i := rnd.IntN(len(line))
			switch rnd.IntN(3) {
			case 0:
				line[i] = alphabet[rnd.IntN(len(alphabet))]
			case 1:
				line = append(line[:i:i], line[i+1:]...)
			default:
				line = append(line[:i:i], append([]byte{line[i]}, line[i:]...)...)
			}
		}
		require.Equal(t, refDecode(line), describeAll(d.Decode(line)), "%q", line)
	}
}

func TestReaderSplitsLines(t *testing.T) {
	t.Parallel()
	text := "\xef\xbb\xbf" + book1 + "\r\n\n  \nPONG\n" + `[` + book1 + `,` + book1 + `]` + "\n[]\n" + book1
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "with end": iotest.DataErrReader,
	} {
		r := wslog.NewReader(wrap(strings.NewReader(text)))
		var got [][2]int64
		for {
			msgs, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			line, _ := r.Line()
			got = append(got, [2]int64{line, int64(len(msgs))})
		}
		require.Equal(t, [][2]int64{{1, 1}, {4, 1}, {5, 2}, {7, 1}}, got, name)
	}
}

func TestReaderLongLines(t *testing.T) {
	t.Parallel()
	long := `{"x":"` + strings.Repeat("y", wslog.MaxLine+wslog.MaxLine/2) + `"}`
	r := wslog.NewReader(strings.NewReader(book1 + "\n" + long + "\n" + book1 + "\n" + long))
	var got []stream.Reason
	var lines []int64
	for {
		msgs, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		line, _ := r.Line()
		lines = append(lines, line)
		got = append(got, msgs[0].Reject)
	}
	require.Equal(t, []stream.Reason{stream.OK, stream.TooLong, stream.OK, stream.TooLong}, got)
	require.Equal(t, []int64{1, 2, 3, 4}, lines)
}

func TestReaderKeepsTheErrorOfItsSource(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := wslog.NewReader(io.MultiReader(strings.NewReader(book1+"\n"+book1[:50]), iotest.ErrReader(broken)))
	msgs, err := r.Next()
	require.NoError(t, err)
	require.Len(t, msgs, 1)
	_, err = r.Next()
	require.ErrorIs(t, err, broken)
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		book1, "PONG\n" + book1, "\x00\x01\n" + book1 + "\n", bookWith(`"1.2"`, `"1"`),
		`{"recv":1776081700,"slug":"s","gap":{"from":1776081690,"to":1776081699}}`,
	} {
		require.True(t, wslog.Recognise([]byte(good)), good)
	}
	for _, bad := range []string{
		"", "\x00\x01\n", "a,b\n1,2\n", "[]\n{}\n",
		`{"slug":"btc-updown-5m-1776081600","condition_id":"0xab","up_token":null,"down_token":"7"}`,
		`{"id":"1","conditionId":"0xab","slug":"s","question":"q","outcomes":"[\"Up\",\"Down\"]","clobTokenIds":"[\"1\",\"2\"]"}`,
	} {
		require.False(t, wslog.Recognise([]byte(bad)), bad)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	var d wslog.Decoder
	line := []byte(`{"recv":1776081409.871942,"slug":"btc-updown-5m-1776081600","msg":` + book1 + `}`)
	var change []byte
	for _, c := range cases {
		if strings.HasPrefix(c.name, "price_change: ") {
			change = []byte(c.line)
		}
	}
	require.True(t, bytes.Contains(change, []byte("price_changes")))
	d.Decode(line)
	d.Decode(change)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		d.Decode(line)
		d.Decode(change)
	}))
}
