// Package marketsfile reads the lists of up/down rounds that collectors write
// alongside their captures: JSON lines, one round each.
//
//	{"slug": …, "condition_id": …, "coin": "BTC", "market_type": "5m",
//	 "start": <Unix s>, "end": <Unix s>, "up_token": …, "down_token": …,
//	 "winner": "up" | "down" | null, "winner_basis": "official" | "last_quotes" | …}
//
// The members may also be called conditionId, marketType, startTs, endTs, upTokenId and
// downTokenId, and the rounds may be the elements of one array.
//
// At least one of slug and condition_id is required, and at least one of the
// tokens; the other token may be null, meaning its id is unknown. A winner
// counts as official only when its basis says so; any other basis, or none, is
// an inference.
package marketsfile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Recognise reports whether any complete line of prefix, the beginning of a
// file, is a round of such a list.
func Recognise(prefix []byte) bool {
	if head := trim(prefix); bytes.HasPrefix(head, []byte("[")) {
		var first map[string]json.RawMessage
		d := json.NewDecoder(bytes.NewReader(head))
		_, err := d.Token()
		return err == nil && d.Decode(&first) == nil && isRound(first)
	}
	for line := range bytes.Lines(prefix) {
		var l map[string]json.RawMessage
		if json.Unmarshal(trim(line), &l) == nil && isRound(l) {
			return true
		}
	}
	return false
}

// isRound reports whether an object has members that only rounds have.
func isRound(l map[string]json.RawMessage) bool {
	for _, key := range []string{"up_token", "down_token", "winner_basis", "upTokenId", "downTokenId"} {
		if _, ok := l[key]; ok {
			return true
		}
	}
	_, id := l["condition_id"]
	_, typ := l["market_type"]
	return id && typ
}

const maxLine = 1 << 20

// Import reads a list to its end and passes its rounds to to. It returns the
// number of lines, rejected ones included, and the error that ended it early:
// the context's, the sink's, or r's.
func Import(ctx context.Context, r io.Reader, to rows.MarketSink) (lines int64, err error) {
	in := bufio.NewReaderSize(r, maxLine)
	head, _ := in.Peek(sniff) // an error comes up again
	if bytes.HasPrefix(trim(head), []byte("[")) {
		return array(ctx, in, to)
	}
	for number := int64(1); ; number++ {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if long {
			line = bytes.Clone(line[:1024])
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			return lines, err
		}
		if line = trim(line); len(line) > 0 {
			lines++
			if stop := one(ctx, to, number, line, long); stop != nil {
				return lines, stop
			}
		}
		if err == io.EOF {
			return lines, nil
		}
	}
}

// sniff is how far into a file its first character is looked for, in bytes.
const sniff = 4096

// array reads rounds that are the elements of an array.
func array(ctx context.Context, r *bufio.Reader, to rows.MarketSink) (rounds int64, err error) {
	if bom, _ := r.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = r.Discard(3)
	}
	left := io.LimitedReader{R: r, N: maxArray}
	d := json.NewDecoder(&left)
	if _, err := d.Token(); err != nil {
		return 0, err
	}
	for d.More() {
		var round json.RawMessage
		if err := d.Decode(&round); err != nil {
			return rounds, err
		}
		rounds++
		if err := one(ctx, to, rounds, round, len(round) > maxLine); err != nil {
			return rounds, err
		}
		left.N = maxArray
	}
	_, err = d.Token()
	return rounds, err
}

// maxArray is how much is read for one element of an array, in bytes.
const maxArray = 8 << 20

func trim(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
}

func one(ctx context.Context, to rows.MarketSink, number int64, line []byte, long bool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if long {
		to.Reject(number, line, "line too long")
		return nil
	}
	m, reason := parse(line)
	if reason != "" {
		to.Reject(number, line, reason)
		return nil
	}
	return rows.Put(ctx, to, m)
}

// text is how a member stands in the file.
type text = scalar.Text

type round struct {
	Slug        text `json:"slug"`
	ConditionID text `json:"condition_id"`
	Coin        text `json:"coin"`
	MarketType  text `json:"market_type"`
	Start       text `json:"start"`
	End         text `json:"end"`
	UpToken     text `json:"up_token"`
	DownToken   text `json:"down_token"`
	Winner      text `json:"winner"`
	WinnerBasis text `json:"winner_basis"`
}

// camel is a round in the other spelling.
type camel struct {
	ConditionID text `json:"conditionId"`
	MarketType  text `json:"marketType"`
	Start       text `json:"startTs"`
	End         text `json:"endTs"`
	UpToken     text `json:"upTokenId"`
	DownToken   text `json:"downTokenId"`
}

// add fills in what r lacks.
func (c *camel) add(r *round) {
	for _, m := range []struct{ to, from *text }{
		{&r.ConditionID, &c.ConditionID}, {&r.MarketType, &c.MarketType}, {&r.Start, &c.Start},
		{&r.End, &c.End}, {&r.UpToken, &c.UpToken}, {&r.DownToken, &c.DownToken},
	} {
		*m.to = cmp.Or(*m.to, *m.from)
	}
}

// parse returns the market of a line, or why there is none.
func parse(line []byte) (market.Market, string) {
	var r round
	var other camel
	if err := cmp.Or(json.Unmarshal(line, &r), json.Unmarshal(line, &other)); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return market.Market{}, "not valid JSON"
		}
		return market.Market{}, "member not understood"
	}
	other.add(&r)
	m := market.Market{
		Venue: market.Polymarket, VenueID: string(r.ConditionID), Slug: string(r.Slug),
		Coin: strings.ToUpper(string(r.Coin)), Mirrored: true,
	}
	if reason := wrong(&m, &r); reason != "" {
		return m, reason
	}
	if r.MarketType != "" {
		typ, _, ok := market.ParseLength(string(r.MarketType))
		if !ok {
			return m, "length not understood"
		}
		m.Type = typ
	}
	if reason := times(&m, &r); reason != "" {
		return m, reason
	}
	m.Tokens = []market.Token{
		{VenueID: string(r.UpToken), Label: "Up", Outcome: market.Up},
		{VenueID: string(r.DownToken), Label: "Down", Outcome: market.Down},
	}
	return m, payout(&m, &r)
}

// wrong says what is wrong with the ids of a line; empty: nothing.
func wrong(m *market.Market, r *round) string {
	_, isRound := market.ParseRoundSlug(m.Slug)
	switch {
	case m.VenueID == "" && m.Slug == "":
		return "no market named"
	case !stream.ValidID(m.VenueID) || !stream.ValidID(m.Slug) || !stream.ValidID(string(r.UpToken)) || !stream.ValidID(string(r.DownToken)):
		return "id not understood"
	case (m.Coin == "" || r.MarketType == "") && !isRound:
		return "neither crypto nor sports"
	case r.UpToken == "" && r.DownToken == "":
		return "market without tokens"
	case r.UpToken == r.DownToken:
		return "both tokens have one id"
	}
	return ""
}

func times(m *market.Market, r *round) string {
	for _, t := range []struct {
		text text
		at   *market.Instant
	}{{r.Start, &m.Start}, {r.End, &m.End}} {
		if t.text == "" {
			continue
		}
		at, err := market.ParseUnix(string(t.text))
		if err != nil {
			err = at.UnmarshalText([]byte(t.text))
		}
		if err != nil || at <= 0 {
			return "time not understood"
		}
		*t.at = at
	}
	if m.Start != 0 && m.End != 0 && m.End <= m.Start {
		return "end not after start"
	}
	return ""
}

// payout reads the winner: an outcome or a token's id.
func payout(m *market.Market, r *round) string {
	if r.Winner == "" {
		return ""
	}
	p := market.Payout{Basis: market.Inferred, Fractions: make([]market.Cash, len(m.Tokens))}
	if strings.EqualFold(string(r.WinnerBasis), string(market.Official)) {
		p.Basis = market.Official
	}
	for i, t := range m.Tokens {
		if strings.EqualFold(string(r.Winner), t.Label) || string(r.Winner) == t.VenueID {
			p.Fractions[i] = market.CashOne
			m.Payout = &p
			return ""
		}
	}
	return "winner is not a token of the market"
}
