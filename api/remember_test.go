package api_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// live is an open market in which minute k is captured by the k-th import.
func live(from, to int) []handMade {
	m := handMade{market: market.Market{
		Venue: market.PolymarketUS, VenueID: "live", Slug: "live", Question: "Does it go on?", Category: market.Sports,
		Tags: []string{"sports"}, Tokens: tokens("live", 2), Start: at(12, 0, 0), End: at(23, 0, 0),
	}}
	for k := from; k < to; k++ {
		m.captures = append(m.captures, quote(k%2, at(12, k, 0), market.Price(1000+10*k), market.Price(1100+10*k)))
	}
	return []handMade{m}
}

// openers opens one archive as often as it is asked to, as several processes
// would, by store.
func openers(t *testing.T) map[string]func(t *testing.T) *archive.Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "live.db")
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	first := archive.New(opened)
	require.NoError(t, first.Close())
	closing := func(t *testing.T, s store.Store, err error) *archive.Archive {
		require.NoError(t, err)
		a := archive.New(s)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		return a
	}
	out := map[string]func(t *testing.T) *archive.Archive{
		"one file": func(t *testing.T) *archive.Archive {
			s, err := sqlite.Open(t.Context(), path)
			return closing(t, s, err)
		},
	}
	if os.Getenv("LADDERBACK_TEST_POSTGRES") != "" {
		addr := pgtest.Database(t)
		out["PostgreSQL"] = func(t *testing.T) *archive.Archive {
			s, _, err := postgres.Create(t.Context(), addr)
			return closing(t, s, err)
		}
	}
	return out
}

// TestImportWhileServing imports into an archive that a server, which keeps what
// it reads, answers from: an answer that is asked for once an import is done
// has what it brought, one tag never stands for two answers, and what a client
// has is answered anew when it is no longer what there is.
func TestImportWhileServing(t *testing.T) {
	for name, open := range openers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writer, served := open(t), open(t)
			served.Remember(1 << 20)
			w := worldOver(t, served, nil)
			path := historyPath("markets/live/prices", windowOf(at(12, 0, 0), at(23, 0, 0)), "1m") + "&limit=200"
			w.get(t, path).fails(t, 404, "not_found")
			require.NoError(t, putMarkets(t.Context(), writer, "0", live(0, 1)))
			var done atomic.Int64
			var answers sync.Map // body by tag
			count := func(body *answer) int {
				var page wirePage
				body.json(t, &page)
				if was, ok := answers.LoadOrStore(body.header.Get("ETag"), string(body.body)); ok {
					require.Equal(t, was, string(body.body), "one tag, two answers")
				}
				return len(page.lists(t)["Team 0"])
			}
			ctx, cancel := context.WithCancel(t.Context())
			var readers sync.WaitGroup
			for range 3 {
				readers.Go(func() {
					for ctx.Err() == nil {
						// Known up to the newest capture, exclusive: a minute an import.
						least := int(done.Load())
						got := w.get(t, path)
						if n := count(got); n < least {
							t.Errorf("%d minutes after %d imports", n, least)
							return
						}
						tag := http.Header{"If-None-Match": {got.header.Get("ETag")}}
						least = int(done.Load())
						again := w.do(t, request{path: path, header: tag})
						switch n := count(got); again.status {
						case http.StatusOK:
							count(again)
						case http.StatusNotModified:
							if n < least {
								t.Errorf("not modified, with %d minutes after %d imports", n, least)
								return
							}
						default:
							t.Errorf("asked again after %d imports: %d %s", least, again.status, again.body)
							return
						}
					}
				})
			}
			const imports = 15
			for k := int64(1); k <= imports; k++ {
				require.NoError(t, putMarkets(t.Context(), writer, fmt.Sprint(k), live(int(k), int(k)+1)))
				done.Store(k)
			}
			cancel()
			readers.Wait()
			require.Equal(t, imports, count(w.get(t, path)))
			sources, err := writer.Sources(t.Context())
			require.NoError(t, err)
			newest := slices.IndexFunc(sources, func(s store.Source) bool { return s.Name == fmt.Sprint(imports) })
			_, err = care.Remove(t.Context(), writer.Store(), care.Selection{Sources: []store.SourceID{sources[newest].ID}})
			require.NoError(t, err)
			require.Equal(t, imports-1, count(w.get(t, path)))
		})
	}
}
