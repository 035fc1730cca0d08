package regress

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Archive identifies the archive behind the results: by its fingerprint, and by
// numbers that people can compare.
type Archive struct {
	// Fingerprint is a SHA-256 in lower-case hex over every up/down round that
	// the archive has, in order of venue and market id: what a replay reads of
	// it (backtest.RoundRecord). It depends neither on how the archive is stored
	// nor on the order in which it was filled.
	Fingerprint string `json:"fingerprint"`
	Rounds      int    `json:"rounds"`   // up/down rounds, decided or not
	Resolved    int    `json:"resolved"` // of these, with a payout, official or inferred
	// From is the first start of a round, To the last end; nil without rounds.
	From *market.Instant `json:"from"`
	To   *market.Instant `json:"to"`
}

// Fingerprint looks at every up/down round of src.
func Fingerprint(ctx context.Context, src replay.Source) (*Archive, error) {
	rounds, err := src.Rounds(ctx, market.RoundFilter{})
	if err != nil {
		return nil, fmt.Errorf("fingerprint of the archive: %w", err)
	}
	rounds = slices.DeleteFunc(rounds, func(r market.Round) bool { return !r.Market.IsUpDown() })
	slices.SortFunc(rounds, func(a, b market.Round) int {
		return cmp.Or(strings.Compare(string(a.Market.Venue), string(b.Market.Venue)), strings.Compare(a.Market.VenueID, b.Market.VenueID))
	})
	out := &Archive{Rounds: len(rounds)}
	h := sha256.New()
	for i := range rounds {
		m := rounds[i].Market
		line, err := backtest.RoundRecord(&rounds[i])
		if err != nil {
			return nil, fmt.Errorf("fingerprint of the archive: market %s: %w", m.VenueID, err)
		}
		h.Write(append(line, '\n'))
		if m.Payout != nil {
			out.Resolved++
		}
		if out.From == nil || m.Start < *out.From {
			out.From = &m.Start
		}
		if out.To == nil || m.End > *out.To {
			out.To = &m.End
		}
	}
	out.Fingerprint = hex.EncodeToString(h.Sum(nil))
	return out, nil
}

// words says what the archive is in one line.
func (a *Archive) words() string {
	s := fmt.Sprintf("%s  %d rounds, %d resolved", short(a.Fingerprint), a.Rounds, a.Resolved)
	if a.From != nil && a.To != nil {
		s += fmt.Sprintf(", %s to %s", a.From, a.To)
	}
	return s
}

// short returns the beginning of a hash, enough for people to tell two apart.
func short(hash string) string {
	const shown = 12
	if len(hash) <= shown {
		return hash
	}
	return hash[:shown] + "…"
}

// archive reads what was recorded about the archive.
func (r *reader) archive(n *yaml.Node) *Archive {
	fields := r.mapping(n, "archive", "fingerprint", "rounds", "resolved", "from", "to")
	a := &Archive{}
	switch f := fields["fingerprint"]; {
	case fields == nil:
	case f == nil:
		r.fail(n, "archive.fingerprint", "missing: expected the archive's hash, as --update records it")
	default:
		if sum, err := hex.DecodeString(f.Value); err != nil || len(sum) != sha256.Size {
			r.fail(f, "archive.fingerprint", "is %s: expected 64 hex digits, as --update records them", kindOf(f))
		}
		a.Fingerprint = f.Value
	}
	for name, into := range map[string]*int{"rounds": &a.Rounds, "resolved": &a.Resolved} {
		if f := fields[name]; f != nil {
			v, _ := r.whole(f, "archive."+name, 0, 1<<40)
			*into = int(v)
		}
	}
	for name, into := range map[string]**market.Instant{"from": &a.From, "to": &a.To} {
		if f := fields[name]; f != nil {
			r.instant(f, "archive."+name, into)
		}
	}
	return a
}
