package backtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Engine is the version of the rules that results are made by. It is raised
// when, and only when, the same archive, strategy and options give a different
// report.
const Engine = 1

// Receipt identifies what went into a report and what came out: equal receipts
// mean equal results. Hashes are SHA-256 in lower-case hex.
type Receipt struct {
	// Strategy is the hash of the canonical strategy's JSON.
	Strategy string `json:"strategy"`
	// Options is the hash of the JSON of Report.Options.
	Options string `json:"options"`
	// Data is the hash over the sampled markets in order; see DataHash.
	Data string `json:"data"`
	// Engine is the constant Engine.
	Engine int `json:"engine"`
	// Report is the hash of the canonical JSON of the report without the
	// receipt: the bytes of the compact report up to `,"receipt":`, followed by
	// a closing brace.
	Report string `json:"report"`
	// HoldOut is the lockbox that was in force, closed or opened: that of Report.Options.
	// Nil, and left out: there was none.
	HoldOut *replay.HoldOut `json:"hold_out,omitempty"`
}

func receiptOf(res *replay.Result, r *Report, data func() (string, error)) (Receipt, error) {
	rc := Receipt{Engine: Engine, Strategy: res.Strategy.Hash(), HoldOut: r.Options.HoldOut}
	options, err := CompactJSON(r.Options)
	if err != nil {
		return Receipt{}, fmt.Errorf("receipt: options: %w", err)
	}
	rc.Options = hash(options)
	if rc.Data, err = data(); err != nil {
		return Receipt{}, fmt.Errorf("receipt: %w", err)
	}
	if r.head, err = r.canonical(); err != nil {
		return Receipt{}, err
	}
	rc.Report = hash(r.head, []byte{'}'})
	return rc, nil
}

// canonical returns r's canonical JSON up to the receipt.
func (r *Report) canonical() ([]byte, error) {
	bare := *r
	bare.Receipt = Receipt{}
	b, err := CompactJSON(&bare)
	if err != nil {
		return nil, fmt.Errorf("receipt: report: %w", err)
	}
	return b[:bytes.LastIndex(b, []byte(receiptKey))], nil
}

// receiptKey is what stands before the receipt in the JSON of a report.
const receiptKey = `,"receipt":`

// Hash returns the SHA-256 in lower-case hex of r's canonical JSON without the receipt.
func (r *Report) Hash() (string, error) {
	head, err := r.canonical()
	return hash(head, []byte{'}'}), err
}

func hash(parts ...[]byte) string {
	h := sha256.New()
	for _, b := range parts {
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CompactJSON returns the JSON of v without white space and without HTML
// escapes: the form that is hashed, saved and sent.
func CompactJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := writeLine(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// writeLine writes the same, and a line feed.
func writeLine(w io.Writer, v any) error { return compact(w).Encode(v) }

// compact writes such lines.
func compact(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// record is what the data's hash covers of one market: all that a replay reads
// of it. Fields that follow from these, or that a replay does not look at
// (question, description, update times), are not in it.
type record struct {
	Venue    market.Venue    `json:"venue"`
	ID       string          `json:"id"`
	Slug     string          `json:"slug"`
	Category market.Category `json:"category"`
	Coin     string          `json:"coin"`
	Type     string          `json:"market_type"`
	Start    market.Instant  `json:"start"`
	End      market.Instant  `json:"end"`
	ClosedAt *market.Instant `json:"closed_at"`
	Mirrored bool            `json:"mirrored"`
	MinSize  string          `json:"min_size"`
	Fees     *recordFees     `json:"fees"`
	Tokens   []recordToken   `json:"tokens"`
	Basis    market.Basis    `json:"winner_basis"`
	Gaps     []recordGap     `json:"gaps"`
	Content  string          `json:"content"` // the content hash of the captures
}

type recordFees struct {
	Rate      int64 `json:"rate_millionths"`
	Exponent  int   `json:"exponent"`
	TakerOnly bool  `json:"taker_only"`
}

type recordToken struct {
	ID      string        `json:"id"`
	Label   string        `json:"label"`
	Outcome string        `json:"outcome"`
	Payout  stats.Decimal `json:"payout"`
}

type recordGap struct {
	Token int            `json:"token"`
	From  market.Instant `json:"from"`
	To    market.Instant `json:"to"`
}

// dataHash is that of the sampled markets of a result.
func dataHash(res *replay.Result) (string, error) {
	return hashOf(len(res.Markets), func(i int) *market.Round { return &res.Markets[i].Round })
}

// DataHash is the SHA-256 over one line of compact JSON a sampled market, in
// the order replayed (newest end first), each ended by a line feed.
func DataHash(rounds []market.Round) (string, error) {
	return hashOf(len(rounds), func(i int) *market.Round { return &rounds[i] })
}

func hashOf(n int, round func(i int) *market.Round) (string, error) {
	h := sha256.New()
	lines := compact(h)
	for i := range n {
		if err := lines.Encode(recordOf(round(i))); err != nil {
			return "", fmt.Errorf("market %s: %w", round(i).Market.VenueID, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// RoundRecord returns one line of compact JSON, without its line feed, with
// everything that a replay reads of a round: rounds with equal records are
// replayed alike. Receipts and archive fingerprints are hashes over such lines.
func RoundRecord(r *market.Round) ([]byte, error) { return CompactJSON(recordOf(r)) }

func recordOf(r *market.Round) record {
	m := r.Market
	out := record{
		Venue: m.Venue, ID: m.VenueID, Slug: m.Slug, Category: m.Category,
		Coin: m.Coin, Type: m.Type, Start: m.Start, End: m.End,
		ClosedAt: known(m.ClosedAt), Mirrored: m.Mirrored, MinSize: m.MinSize.String(),
		Tokens: []recordToken{}, Gaps: []recordGap{},
		Content: hex.EncodeToString(r.Content[:]),
	}
	if m.Fees != nil {
		out.Fees = &recordFees{m.Fees.Rate, m.Fees.Exponent, m.Fees.TakerOnly}
	}
	for i := range m.Tokens {
		t := recordToken{ID: m.Tokens[i].VenueID, Label: m.Tokens[i].Label, Outcome: m.Tokens[i].Outcome.String()}
		if m.Payout != nil && i < len(m.Payout.Fractions) {
			t.Payout = stats.Decimal(m.Payout.Fractions[i])
		}
		out.Tokens = append(out.Tokens, t)
	}
	if m.Payout != nil {
		out.Basis = m.Payout.Basis
	}
	for _, g := range r.Gaps {
		out.Gaps = append(out.Gaps, recordGap{g.Token, g.From, g.To})
	}
	return out
}
