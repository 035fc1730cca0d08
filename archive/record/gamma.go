package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/ladderback/ladderback/market"
)

// round is one round that is recorded.
type round struct {
	slug      string
	event     string // slug of its event
	condition string // the exchange's market id
	tokens    []string
	start     market.Instant
	end       market.Instant
}

// roundDoc is a round as the state has it.
type roundDoc struct {
	Slug      string         `json:"slug"`
	Event     string         `json:"event"`
	Condition string         `json:"condition"`
	Tokens    []string       `json:"tokens"`
	Start     market.Instant `json:"start"`
	End       market.Instant `json:"end"`
}

// MarshalJSON implements json.Marshaler.
func (r *round) MarshalJSON() ([]byte, error) {
	return json.Marshal(roundDoc{r.slug, r.event, r.condition, r.tokens, r.start, r.end})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *round) UnmarshalJSON(b []byte) error {
	var d roundDoc
	err := json.Unmarshal(b, &d)
	*r = round{d.Slug, d.Event, d.Condition, d.Tokens, d.Start, d.End}
	return err
}

// listing is what the metadata API says of a round right now.
type listing struct {
	round
	closed, decided bool
	raw             json.RawMessage // of the event
}

// gamma asks the metadata API.
type gamma struct {
	base    string
	client  *retryablehttp.Client
	problem atomic.Pointer[string]
}

const (
	gammaPage     = 100
	maxGammaBytes = 64 << 20 // bytes of an answer
)

func newGamma(c *Config) *gamma {
	client := retryablehttp.NewClient()
	client.HTTPClient, client.Logger = c.Client, nil
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	client.RetryMax, client.RetryWaitMin, client.RetryWaitMax = 4, c.BackoffMin, c.BackoffMax
	client.Backoff = func(low, high time.Duration, attempt int, resp *http.Response) time.Duration {
		wait := retryablehttp.DefaultBackoff(low, high, attempt, resp)
		return wait + time.Duration(c.Jitter(int64(wait)/2+1))
	}
	return &gamma{base: c.Gamma, client: client}
}

// seriesSlugs returns the names under which the exchange may list the rounds of a
// coin and length: it has used tickers and names, and words for some lengths.
func seriesSlugs(coin, typ string) []string {
	length := typ
	switch typ {
	case "1h":
		length = "hourly"
	case "1d":
		length = "daily"
	}
	slugs := []string{strings.ToLower(coin) + "-up-or-down-" + length}
	name := strings.ReplaceAll(strings.ToLower(market.CoinName(coin)), " ", "-")
	if other := name + "-up-or-down-" + length; other != slugs[0] {
		slugs = append(slugs, other)
	}
	return slugs
}

// series returns the rounds of a series that end after now and begin before
// until; beside an error, those that could be read.
func (g *gamma) series(ctx context.Context, slug string, now, until market.Instant) ([]listing, error) {
	var (
		out []listing
		odd error
	)
	for offset := 0; ; offset += gammaPage {
		q := url.Values{
			"series_slug": {slug}, "closed": {"false"}, "order": {"endDate"}, "ascending": {"true"},
			"end_date_min": {now.Time().Format(time.RFC3339)},
			"limit":        {strconv.Itoa(gammaPage)}, "offset": {strconv.Itoa(offset)},
		}
		events, err := g.events(ctx, q)
		if err != nil {
			return out, err
		}
		beyond := false
		for _, raw := range events {
			l, err := readListing(raw)
			if err != nil {
				odd = fmt.Errorf("series %s: %w", slug, err)
			}
			for _, m := range l {
				beyond = beyond || m.start > until
				if m.end > now && m.start <= until {
					out = append(out, m)
				}
			}
		}
		if len(events) < gammaPage || beyond {
			return out, odd
		}
	}
}

// event returns the rounds of one event.
func (g *gamma) event(ctx context.Context, slug string) ([]listing, error) {
	events, err := g.events(ctx, url.Values{"slug": {slug}})
	if err != nil {
		return nil, err
	}
	var out []listing
	for _, raw := range events {
		l, err := readListing(raw)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", slug, err)
		}
		out = append(out, l...)
	}
	return out, nil
}

func (g *gamma) events(ctx context.Context, q url.Values) ([]json.RawMessage, error) {
	return g.list(ctx, "/events", q)
}

// list returns the objects that the API answers.
func (g *gamma) list(ctx context.Context, path string, q url.Values) (found []json.RawMessage, err error) {
	defer func() {
		g.problem.Store(nil)
		if err != nil && ctx.Err() == nil {
			text := "metadata: " + err.Error()
			g.problem.Store(&text)
		}
	}()
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, g.base+path+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.URL.Path, brief(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", req.URL.Path, resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxGammaBytes)).Decode(&found); err != nil {
		return nil, fmt.Errorf("%s: %w", req.URL.Path, err)
	}
	return found, nil
}

// gammaEvent is what counts here of an event.
type gammaEvent struct {
	Slug   string `json:"slug"`
	Series []struct {
		Slug string `json:"slug"`
	} `json:"series"`
	SeriesSlug string `json:"seriesSlug"`
	Markets    []struct {
		Slug        string    `json:"slug"`
		ConditionID string    `json:"conditionId"`
		Tokens      texts     `json:"clobTokenIds"`
		Prices      texts     `json:"outcomePrices"`
		Start       time.Time `json:"eventStartTime"`
		End         time.Time `json:"endDate"`
		Closed      bool      `json:"closed"`
		Status      string    `json:"umaResolutionStatus"`
	} `json:"markets"`
}

// texts is an array of strings, which the exchange writes inside a string.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(b []byte) error {
	var inner string
	if json.Unmarshal(b, &inner) == nil {
		if inner == "" {
			return nil
		}
		b = []byte(inner)
	}
	return json.Unmarshal(b, (*[]string)(t))
}

var errListing = errors.New("metadata without market id, tokens or times")

func readListing(raw json.RawMessage) ([]listing, error) {
	var e gammaEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, err
	}
	if len(e.Series) > 0 {
		e.SeriesSlug = e.Series[0].Slug
	}
	_, typ, _ := market.ParseSeriesSlug(e.SeriesSlug)
	_, span, _ := market.ParseLength(typ)
	var out []listing
	for _, m := range e.Markets {
		l := listing{
			round: round{
				slug: m.Slug, event: e.Slug, condition: m.ConditionID, tokens: m.Tokens,
				start: market.InstantOf(m.Start), end: market.InstantOf(m.End),
			},
			closed: m.Closed, raw: raw,
		}
		if name, ok := market.ParseRoundSlug(m.Slug); ok {
			l.start, l.end = name.Start, name.End
		} else if l.start <= 0 && span > 0 {
			l.start = l.end - span
		}
		if l.slug == "" || l.condition == "" || len(l.tokens) == 0 || l.start <= 0 || l.end <= l.start {
			return nil, fmt.Errorf("%s: %w", e.Slug, errListing)
		}
		l.decided = m.Closed && (m.Status == "" || strings.EqualFold(m.Status, "resolved")) && decided(m.Prices, m.Status != "")
		out = append(out, l)
	}
	return out, nil
}

// decided reports whether the prices are those of an outcome: one pays all, or,
// when it is void, all the same. Prices begin equal too, so that a void one must
// have been resolved in words.
func decided(prices []string, resolved bool) bool {
	ones, zeros := 0, 0
	for _, p := range prices {
		v, err := market.ParseCash(p)
		switch {
		case err != nil:
			return false
		case v == market.CashOne:
			ones++
		case v == 0:
			zeros++
		case v*market.Cash(len(prices)) != market.CashOne:
			return false
		}
	}
	return ones == 1 && zeros == len(prices)-1 || resolved && len(prices) > 1 && ones+zeros == 0
}

// brief returns err without the address that was asked, which is long and may be in it
// several times.
func brief(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	return err
}
