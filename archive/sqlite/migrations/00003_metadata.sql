-- +goose Up
-- Less for each market: what most have in common is kept once. The claims are then
-- put together by the program, which sets the version.
CREATE TABLE venues (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID; -- those of the markets
INSERT INTO venues SELECT DISTINCT venue FROM markets;
-- Texts that many markets have in common.
CREATE TABLE words (
	id   INTEGER PRIMARY KEY,
	text TEXT    NOT NULL UNIQUE -- JSON
) STRICT;

-- A slug that is the market's id is written "=", and one that begins so with another
-- before it.
UPDATE markets SET slug = CASE slug WHEN venue_id THEN '=' ELSE '=' || slug END WHERE slug <> '' AND (slug = venue_id OR slug LIKE '=%');

-- The word of the payout, its basis and fractions; 0: none.
ALTER TABLE markets ADD COLUMN payout INTEGER NOT NULL DEFAULT 0;
INSERT INTO words (text) SELECT DISTINCT json_array(basis, json(fractions)) FROM payouts;
UPDATE markets SET payout = (SELECT w.id FROM payouts p JOIN words w ON w.text = json_array(p.basis, json(p.fractions)) WHERE p.market_id = markets.id)
	WHERE id IN (SELECT market_id FROM payouts);
DROP TABLE payouts;

-- The word of the tokens, of which the table of tokens then has none: an id behind
-- the market's, a label and an outcome each, without blocks or gaps; 0: that table has
-- them.
ALTER TABLE markets ADD COLUMN outcomes INTEGER NOT NULL DEFAULT 0;
CREATE TEMP TABLE plain (market_id INTEGER PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO plain SELECT market_id, json_group_array(json_array(venue_id, label, outcome) ORDER BY position) FROM tokens GROUP BY market_id
	HAVING min(derived <> 0 AND keys = x'' AND venue_id LIKE ':%' AND NOT EXISTS (SELECT 1 FROM gaps g WHERE g.token_id = tokens.id));
INSERT OR IGNORE INTO words (text) SELECT DISTINCT text FROM plain;
UPDATE markets SET outcomes = (SELECT w.id FROM plain p JOIN words w ON w.text = p.text WHERE p.market_id = markets.id)
	WHERE id IN (SELECT market_id FROM plain);
DELETE FROM tokens WHERE market_id IN (SELECT market_id FROM plain);
DROP TABLE plain;

-- A market is found by its id, which is a hash of its venue's name for it, and by
-- times that are known. Lists end, or begin, with those of which a time is not.
DROP INDEX markets_venue_id;
DROP INDEX markets_slug;
CREATE INDEX markets_slug ON markets (slug) WHERE slug <> '=';
DROP INDEX markets_updated;
CREATE INDEX markets_updated ON markets (updated_at, venue_id, venue, category, status, start_at, end_at) WHERE updated_at <> 0;
DROP INDEX markets_start;
CREATE INDEX markets_start ON markets (start_at, venue_id, venue) WHERE start_at <> 0;
DROP INDEX markets_end;
CREATE INDEX markets_end ON markets (end_at, venue_id, venue) WHERE end_at <> 0;
CREATE INDEX markets_timeless ON markets (venue_id, venue) WHERE start_at = 0 OR end_at = 0 OR updated_at = 0;

-- Claims that came together are kept together: 0, or a place in a chunk, its id × 256
-- and the number of the line.
ALTER TABLE claims ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
CREATE TABLE chunks (
	id   INTEGER PRIMARY KEY,
	docs BLOB    NOT NULL -- lines of JSON, compressed
) STRICT;
