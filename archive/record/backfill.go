package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// backfillPage is how many markets are asked for at a time.
const backfillPage = 50

// Backfill asks the metadata API for markets, by slug, or by the exchange's id (0x…), a
// page at a time, and hands each answer, verbatim, to the Keeper before it asks for the
// next: what was answered before an error is kept. Of c, Gamma, Dir, Keeper (needed),
// KeepFiles and what reaches outside count. told, when not nil, is called after each
// page. It returns how many of the markets the exchange knows.
func Backfill(ctx context.Context, c Config, names []string, told func(asked, found int)) (found int, err error) {
	c.Gamma = cmp.Or(c.Gamma, PolymarketGamma)
	c.Gamma = strings.TrimSuffix(c.Gamma, "/")
	c.sizes()
	c.machine()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return 0, fmt.Errorf("backfill: %w", err)
	}
	g, f := newGamma(&c), newFiles(&c, &Recorder{})
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(keyOf(a), keyOf(b)) })
	asked := 0
	for len(names) > 0 {
		n := 1
		for n < min(backfillPage, len(names)) && keyOf(names[n]) == keyOf(names[0]) {
			n++
		}
		markets, err := g.markets(ctx, names[:n])
		if err != nil {
			return found, fmt.Errorf("backfill: %w", err)
		}
		if len(markets) > 0 {
			var lines bytes.Buffer
			for _, m := range markets {
				if err := json.Compact(&lines, m); err != nil {
					return found, fmt.Errorf("backfill: %w", err)
				}
				lines.WriteByte('\n')
			}
			wall, _ := c.Clock()
			path := filepath.Join(c.Dir, wall.UTC().Format(nameTime)+listingsName)
			if err := f.whole(path, lines.Bytes()); err != nil {
				return found, fmt.Errorf("backfill: %w", err)
			}
			if err := c.Keeper.Keep(ctx, path); err != nil {
				return found, fmt.Errorf("backfill: %w", err)
			}
			if !c.KeepFiles {
				if err := os.Remove(path); err != nil {
					return found, fmt.Errorf("backfill: %w", err)
				}
			}
		}
		found, asked, names = found+len(markets), asked+n, names[n:]
		if told != nil {
			told(asked, found)
		}
	}
	return found, nil
}

// keyOf is the parameter by which the metadata API is asked for a market.
func keyOf(name string) string {
	if strings.HasPrefix(name, "0x") {
		return "condition_ids"
	}
	return "slug"
}

// markets returns what the exchange says of markets, which are asked for by the same
// parameter. It lists those that are closed and those that are not apart.
func (g *gamma) markets(ctx context.Context, names []string) (all []json.RawMessage, err error) {
	for _, closed := range []bool{true, false} {
		if len(all) == len(names) {
			break
		}
		some, err := g.list(ctx, "/markets", url.Values{
			keyOf(names[0]): names, "closed": {strconv.FormatBool(closed)}, "limit": {strconv.Itoa(len(names))},
		})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
