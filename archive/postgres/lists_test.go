package postgres_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// fillMarkets puts n markets by SQL: rounds of three series, closed but for the
// last, and markets of events of ten each, with tags that are common, rare, and
// only on old ones; one in a hundred has a place for captures. Their checksums are put afterwards.
const fillMarkets = `
	ALTER TABLE markets ALTER sum SET DEFAULT 0, ALTER standing SET DEFAULT 0;
	CREATE FUNCTION put_keys() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		NEW.keys := (SELECT array_agg(('x' || left(md5(k), 8))::bit(32)::integer)
			FROM unnest(NEW.tags || ARRAY['category ' || NEW.category, 'series ' || NEW.series::text, 'status ' || NEW.status::text]) k);
		RETURN NEW;
	END $$;
	CREATE TRIGGER put_keys BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION put_keys();
	CREATE TRIGGER put_keys BEFORE INSERT ON markets FOR EACH ROW EXECUTE FUNCTION put_keys();
	INSERT INTO series SELECT i, 'polymarket', 'series-' || i, 'series-' || i, 'Series ' || i, '5m', 'crypto', '{Crypto}', 0, 0, 0, 'series ' || i || chr(31) || 'series-' || i
	FROM generate_series(1, 4) i;
	INSERT INTO events SELECT i, 'polymarket', 'event-' || i, 'event-slug-' || i, 'Event ' || i, 1 + i %% 4, 'series-' || 1 + i %% 4, 'crypto', '{Crypto}',
		1700000000000000 + i * 3000000000::bigint, 1700000300000000 + i * 3000000000::bigint, 0, 1700000300000000 + i * 3000000000::bigint, 1, 10, 'event ' || i || chr(31) || 'event-slug-' || i
	FROM generate_series(1, %[1]d / 10) i;
	INSERT INTO markets SELECT i, 'polymarket', '0x' || md5(i::text), '', 'btc-updown-5m-' || i, 'Bitcoin Up or Down - Round ' || i || ' of coin ' || md5((i / 500)::text), '', 
		CASE WHEN i %% 50 = 0 THEN 'sports' ELSE 'crypto' END, i / 10, 1 + (i / 10) %% 4, 'event-' || i / 10, 'series-' || 1 + (i / 10) %% 4,
		CASE WHEN i %% 5000 = 0 THEN '{Crypto,Rare}' WHEN i < 1000 THEN '{Crypto,Old}' WHEN i %% 3 = 0 THEN '{Crypto,Up or Down}' ELSE '{Crypto}' END::text[], 'BTC', '5m',
		1700000000000000 + i * 300000000::bigint, 1700000300000000 + i * 300000000::bigint, true, 0, 0, true, 100, 5000000,
		CASE WHEN i > %[1]d - 50 THEN 0 ELSE 2 END, 0, 1700000300000000 + i * 300000000::bigint, false, false, ARRAY[i],
		0, 0, 0, true, 0, 0, 0, false, '\x', '\x', NULL, NULL, NULL, NULL, NULL,
		ARRAY[i || '-0', i || '-1'], '{Up,Down}', '{1,2}', '{f,f}', CASE WHEN i %% 100 = 0 THEN ARRAY[0, i] ELSE '{}' END, ARRAY[i * 2, i * 2 + 1], lower('Bitcoin Up or Down - Round ' || i || ' of coin ' || md5((i / 500)::text)) || chr(31) || 'btc-updown-5m-' || i
	FROM generate_series(1, %[1]d) i;
	INSERT INTO venues VALUES ('polymarket');
	INSERT INTO tags VALUES ('Crypto', 'crypto', %[1]d), ('Rare', 'crypto', 20);
	INSERT INTO pieces SELECT DISTINCT 1, substr(chr(31) || search || chr(31), i, 3) FROM markets, generate_series(1, length(search)) i;
	INSERT INTO pieces SELECT DISTINCT 2, substr(chr(31) || search || chr(31), i, 3) FROM events, generate_series(1, length(search)) i;
	DROP FUNCTION put_keys CASCADE;
	ALTER TABLE markets ALTER sum DROP DEFAULT, ALTER standing DROP DEFAULT`

// Rows are put, and put again with their checksums, before there is an index: a fifth of the time.
const (
	dropIndexes = `
	CREATE TABLE dropped AS SELECT indexname, indexdef FROM pg_indexes
	WHERE tablename = 'markets' AND indexname NOT IN (SELECT conname FROM pg_constraint);
	DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT indexname FROM dropped LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
	END $$`
	makeIndexes = `
	DO $$ DECLARE def text; BEGIN
		FOR def IN SELECT indexdef FROM dropped LOOP EXECUTE def; END LOOP;
	END $$;
	DROP TABLE dropped;
	ANALYZE`
)

// filled makes an archive of n markets.
func filled(t testing.TB, n int) (*archivetest.Archive, string) {
	t.Helper()
	s, addr := newStore(t)
	run(t, addr, dropIndexes)
	run(t, addr, fmt.Sprintf(fillMarkets, n))
	require.NoError(t, postgres.SumRows(t.Context(), s))
	run(t, addr, makeIndexes)
	return archivetest.New(s), addr
}

const day = 24 * 3600 * market.Second

// filters are single filters of lists of markets, with the default sort, and
// combinations of them.
func filters(n int) (single, combined map[string]store.MarketQuery) {
	base := market.Instant(1_700_000_000) * market.Second
	end := base + market.Instant(n)*300*market.Second
	single = map[string]store.MarketQuery{
		"none":                   {},
		"open":                   {OpenOnly: true},
		"category":               {Category: market.Crypto},
		"rarer category":         {Category: market.Sports},
		"search of all":          {Search: "bitcoin"},
		"search of 500":          {Search: "cfcd208495d5"},
		"search of 10":           {Search: "updown-5m-" + strconv.Itoa(n - 10)[:len(strconv.Itoa(n))-1]},
		"search of three":        {Search: "98f"},
		"search of one":          {Search: "round " + strconv.Itoa(n/2) + " of"},
		"search of none":         {Search: "ethereum"},
		"search of two":          {Search: "up"},
		"two that none has":      {Search: "qq"},
		"a letter none has":      {Search: "\x01"},
		"common tag":             {Tags: []string{"Crypto"}},
		"tag of a third":         {Tags: []string{"Up or Down"}},
		"rare tag":               {Tags: []string{"Rare"}},
		"tag of old ones":        {Tags: []string{"Old"}},
		"tag of none":            {Tags: []string{"Nothing"}},
		"event id":               {EventID: "event-" + strconv.Itoa(n/20)},
		"event slug":             {EventSlugs: []string{"event-slug-" + strconv.Itoa(n/20)}},
		"series slug":            {SeriesSlugs: []string{"series-3"}},
		"series of none":         {SeriesSlugs: []string{"nothing"}},
		"start from":             {Dates: store.Dates{StartMin: end - day}},
		"start from long ago":    {Dates: store.Dates{StartMin: base + day}},
		"start until":            {Dates: store.Dates{StartMax: base + day}},
		"start until lately":     {Dates: store.Dates{StartMax: end - day}},
		"end from":               {Dates: store.Dates{EndMin: end - day}},
		"end until":              {Dates: store.Dates{EndMax: base + day}},
		"start until the middle": {Dates: store.Dates{StartMax: base + (end-base)/2}},
		"end until a tenth":      {Dates: store.Dates{EndMax: base + (end-base)/10}},
		"end from the middle":    {Dates: store.Dates{EndMin: base + (end-base)/2}},
		"a day in the middle":    {Dates: store.Dates{EndMin: base + (end-base)/2, EndMax: base + (end-base)/2 + day}},
	}
	combined = map[string]store.MarketQuery{
		"search and open":        {Search: "bitcoin", OpenOnly: true},
		"tag and open":           {Tags: []string{"Rare"}, OpenOnly: true},
		"tags":                   {Tags: []string{"Crypto", "Rare"}},
		"any of tags":            {Tags: []string{"Old", "Rare"}, AnyTag: true},
		"series and dates":       {SeriesSlugs: []string{"series-3"}, Dates: store.Dates{EndMin: base + (end-base)/2, EndMax: base + (end-base)/2 + day}},
		"series and search":      {SeriesSlugs: []string{"series-3"}, Search: "cfcd208495d5"},
		"tag and dates":          {Tags: []string{"Up or Down"}, Dates: store.Dates{EndMax: base + 10*day}},
		"search and tag":         {Search: "round 77", Tags: []string{"Up or Down"}},
		"search, category, open": {Search: "cfcd208495d5", Category: market.Sports, OpenOnly: true},
		"category and dates":     {Category: market.Sports, Dates: store.Dates{EndMax: base + (end-base)/2}},
		"search and dates":       {Search: "bitcoin", Dates: store.Dates{EndMax: base + (end-base)/2}},
		// One filter, but not within the aim of one: all rows have both words, an
		// old tenth of them side by side, and the index knows of the words alone.
		"search of words apart": {Search: "round 1"},
		"words apart and tag":   {Search: "round 1", Tags: []string{"Crypto"}},
		"by end, old tag":       {Tags: []string{"Old"}, Page: store.Page{Sort: store.ByEnd}},
		"by end, event":         {EventID: "event-7", Page: store.Page{Sort: store.ByEnd}},
		"by start, search":      {Search: "round 77", Page: store.Page{Sort: store.ByStart, Ascending: true}},
	}
	return single, combined
}

// pages lists two pages by a filter and returns the places of their rows.
func pages(t testing.TB, a *archivetest.Archive, q store.MarketQuery) []store.Key {
	t.Helper()
	q.Limit = 101
	var keys []store.Key
	for range 2 {
		page, err := a.Markets(t.Context(), q)
		require.NoError(t, err, "%+v", q)
		for i := range page {
			keys = append(keys, page[i].Key(q.Sort))
		}
		if len(page) < q.Limit {
			break
		}
		q.After = &keys[len(keys)-1]
	}
	return keys
}

// groups lists events and series by single filters.
func groups(t testing.TB, a *archivetest.Archive) {
	t.Helper()
	limit := store.Page{Limit: 101}
	middle := market.Instant(1_715_000_000) * market.Second
	for _, q := range []store.GroupQuery{
		{}, {Category: market.Crypto}, {Category: market.Sports}, {OpenOnly: true}, {Tags: []string{"Crypto"}}, {Tags: []string{"Nothing"}},
		{Search: "event"}, {Search: "event 777"}, {Search: "ethereum"}, {SeriesSlug: "series-3"}, {SeriesID: "series-3"},
		{Dates: store.Dates{StartMax: middle}}, {Dates: store.Dates{EndMin: middle}}, {Dates: store.Dates{EndMin: middle, EndMax: middle + day}},
	} {
		q.Page = limit
		page, err := a.Events(t.Context(), q)
		require.NoError(t, err, "%+v", q)
		if len(page) == q.Limit {
			after := page[q.Limit-1].Key(q.Sort)
			q.After = &after
			_, err = a.Events(t.Context(), q)
			require.NoError(t, err, "%+v", q)
		}
	}
	for _, q := range []store.GroupQuery{
		{}, {Category: market.Crypto}, {Tags: []string{"Crypto"}}, {Search: "series"}, {Dates: store.Dates{StartMax: middle}}, {Dates: store.Dates{EndMin: middle}},
	} {
		q.Page = limit
		_, err := a.Series(t.Context(), q)
		require.NoError(t, err, "%+v", q)
	}
}

// TestNoSequentialScan sums up 15,000 markets, and lists them by each single filter, in each
// order, and their events and series: no query that is sent scans a large table.
func TestNoSequentialScan(t *testing.T) {
	t.Parallel()
	const n = 15_000
	a, addr := filled(t, n)
	require.NoError(t, a.Close())
	single, combined := filters(n)
	lists := map[string]func(*archivetest.Archive){}
	for name, q := range single {
		lists[name] = func(a *archivetest.Archive) {
			for _, sort := range []store.Sort{store.ByUpdatedAt, store.ByStart, store.ByEnd} {
				q := q
				q.Sort, q.Ascending = sort, sort == store.ByStart
				pages(t, a, q)
			}
		}
	}
	// Of 5,000 events a list may well be read by a scan, of its markets not.
	const eventsAndSeries = "events and series"
	lists[eventsAndSeries] = func(a *archivetest.Archive) { groups(t, a) }
	lists["archive info"] = func(a *archivetest.Archive) {
		_, err := care.InfoOf(t.Context(), a.Store())
		require.NoError(t, err)
	}
	scans := func(tables ...string) int64 {
		return ask[int64](t, addr, `SELECT sum(seq_scan)::bigint FROM pg_stat_user_tables WHERE relname = ANY ($1)`, tables)
	}
	// The server tells its counts when a connection ends, if not before.
	ended := func() {
		require.Eventually(t, func() bool {
			return ask[int](t, addr, `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`) == 0
		}, time.Minute, 10*time.Millisecond)
	}
	ended() // those that filled it
	ran := func(names ...string) int64 {
		tables := []string{"markets", "blocks", "events"}
		if slices.Contains(names, eventsAndSeries) {
			tables = tables[:2]
		}
		before := scans(tables...)
		opened, err := postgres.Open(t.Context(), addr)
		require.NoError(t, err)
		reader := archivetest.New(opened)
		for _, name := range names {
			lists[name](reader)
		}
		require.NoError(t, reader.Close())
		ended()
		return scans(tables...) - before
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(lists)), func(name string) bool { return name == eventsAndSeries })
	require.Zero(t, ran(eventsAndSeries), eventsAndSeries)
	if ran(names...) > 0 {
		for _, name := range names {
			if k := ran(name); k > 0 {
				t.Errorf("%s: %d sequential scans", name, k)
			}
		}
		t.Error("a list scanned a whole table")
	}

	usual, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	defer usual.Close()
	other, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	defer other.Close()
	maps.Copy(combined, single)
	for name, q := range combined {
		require.Equal(t, pages(t, archivetest.New(usual), q), pages(t, archivetest.New(postgres.ByDistance(other)), q), name)
	}
}

// TestSettle imports more markets than the server knows of: when the import has
// ended it knows.
func TestSettle(t *testing.T) {
	t.Parallel()
	s, addr := newStore(t)
	a := archivetest.New(s)
	defer a.Close()
	f := &archivetest.File{Name: "many.json", Authority: store.FromExchange}
	for i := range 501 {
		f.Claims = append(f.Claims, market.Market{Venue: market.Polymarket, VenueID: fmt.Sprint("0x", i), Slug: fmt.Sprint("market-", i), Question: "?", Category: market.Crypto})
	}
	require.NoError(t, archivetest.Put(t.Context(), a, &archivetest.Scenario{}, f))
	require.Equal(t, 501, ask[int](t, addr, `SELECT reltuples::int FROM pg_class WHERE oid = 'markets'::regclass`))
}

// listsMarkets is the variable that says how many markets TestListTimes lists
// pages of:
//
//	LADDERBACK_LISTS=1000000 go test ./archive/postgres -run ListTimes -v
const listsMarkets = "LADDERBACK_LISTS"

// listsKept names a database for TestListTimes to keep its markets in, and to
// find them in the next time: filling it takes minutes.
const listsKept = "LADDERBACK_LISTS_KEPT"

// kept opens the database that listsKept names, which it fills with n markets
// when it is not there.
func kept(t testing.TB, n int) *archivetest.Archive {
	t.Helper()
	name := os.Getenv(listsKept)
	if name == "" {
		a, _ := filled(t, n)
		return a
	}
	addr := pgtest.Kept(t, name)
	opened, notice, err := postgres.Create(t.Context(), addr)
	require.NoError(t, err)
	a := archivetest.New(opened)
	if notice != "" && ask[int](t, addr, `SELECT count(*)::int FROM markets`) == 0 {
		run(t, addr, fmt.Sprintf(fillMarkets, n))
		require.NoError(t, postgres.SumRows(t.Context(), opened))
		run(t, addr, `VACUUM ANALYZE`)
	}
	require.Equal(t, n, ask[int](t, addr, `SELECT count(*)::int FROM markets`), "markets in database %s", name)
	return a
}

// TestListTimes measures pages of lists: a median of 10 ms for a single filter
// and 200 ms for several.
func TestListTimes(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(listsMarkets))
	if err != nil {
		t.Skipf("set %s to a number of markets", listsMarkets)
	}
	a := kept(t, n)
	defer a.Close()
	single, combined := filters(n)
	measure := func(filters map[string]store.MarketQuery, most time.Duration) {
		for _, name := range slices.Sorted(maps.Keys(filters)) {
			q := filters[name]
			q.Limit = 101
			var took []time.Duration
			rows := 0
			for range 21 {
				begin := time.Now()
				page, err := a.Markets(t.Context(), q)
				took = append(took, time.Since(begin))
				require.NoError(t, err)
				rows = len(page)
			}
			slices.Sort(took)
			median := took[len(took)/2]
			t.Logf("%-24s %3d rows  best %8.2f  median %8.2f  worst %8.2f ms", name, rows, took[0].Seconds()*1e3, median.Seconds()*1e3, took[len(took)-1].Seconds()*1e3)
			if median > most {
				t.Errorf("%s: median %v: expected at most %v", name, median, most)
			}
		}
	}
	measure(single, 10*time.Millisecond)
	measure(combined, 200*time.Millisecond)
}
