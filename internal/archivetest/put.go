// Package archivetest makes up archives for tests: captures and metadata of invented
// rounds, in files cut at will, the naive model of what is captured, and everything that
// an archive answers as text.
package archivetest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
)

// Taker takes files in: an *intake.Intake, or an *Archive.
type Taker interface {
	Begin(ctx context.Context, src store.Source) (*intake.Import, error)
}

// Put imports a file of the scenario.
func Put(ctx context.Context, a Taker, s *Scenario, f *File) error {
	return take(ctx, a, s, f, (*intake.Import).Complete)
}

// Defer is Put, but what the file says is kept until it is settled.
func Defer(ctx context.Context, a Taker, s *Scenario, f *File) error {
	return take(ctx, a, s, f, func(imp *intake.Import) bool { imp.Defer(); return imp.Complete() })
}

func take(ctx context.Context, a Taker, s *Scenario, f *File, complete func(*intake.Import) bool) error {
	imp, err := a.Begin(ctx, f.Source())
	if err != nil {
		return err
	}
	defer imp.Close()
	if complete(imp) {
		return nil
	}
	for _, v := range f.Series {
		if err := imp.Series(ctx, v); err != nil {
			return err
		}
	}
	for _, v := range f.Events {
		if err := imp.Event(ctx, v); err != nil {
			return err
		}
	}
	for _, m := range f.Claims {
		mi, err := imp.Market(ctx, m)
		if err != nil {
			return err
		}
		if err := mi.Done(ctx); err != nil {
			return err
		}
	}
	open := map[int]*intake.MarketImport{}
	for _, i := range f.Messages {
		msg := &s.Messages[i]
		mi := open[msg.Market]
		if mi == nil {
			if mi, err = imp.Market(ctx, s.Markets[msg.Market]); err != nil {
				return err
			}
			open[msg.Market] = mi
		}
		c := msg.Capture
		c.Token = mi.Token(s.Markets[msg.Market].Tokens[msg.Capture.Token])
		if err := mi.Add(&c); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	_, err = imp.Finish(ctx, intake.End{Messages: int64(len(f.Messages))})
	return err
}

// Dump writes everything that an archive answers as text: lists, times, tags,
// content hashes and captures. Two archives of the same sources have the same
// dump.
func Dump(t testing.TB, a *Archive) string {
	t.Helper()
	ctx := t.Context()
	out := map[string]any{}
	var err error
	list := store.MarketQuery{Page: store.Page{Sort: store.ByEnd}}
	markets, err := a.Markets(ctx, list)
	require.NoError(t, err)
	for i := range markets {
		markets[i].Basis = [32]byte{}
		m := &markets[i].Market
		lines, err := Trace(m, a.Captures(ctx, m))
		require.NoError(t, err)
		out["captures of "+m.VenueID] = lines
	}
	out["markets"] = markets
	out["events"], err = a.Events(ctx, store.GroupQuery{})
	require.NoError(t, err)
	out["series"], err = a.Series(ctx, store.GroupQuery{})
	require.NoError(t, err)
	out["tags"], err = a.Tags(ctx, "")
	require.NoError(t, err)
	out["watermarks"], err = a.Watermarks(ctx, "")
	require.NoError(t, err)
	b, err := json.MarshalIndent(out, "", " ")
	require.NoError(t, err)
	return string(b)
}
