-- +goose Up
-- Less for each market again. The program moves the rows from the tables that are
-- renamed here, drops those, and sets the version.
ALTER TABLE claims RENAME TO claims3;
ALTER TABLE chunks RENAME TO chunks3;
ALTER TABLE markets RENAME TO markets3;
DROP INDEX markets_slug;
DROP INDEX markets_alt_id;
DROP INDEX markets_event;
DROP INDEX markets_series;
DROP INDEX markets_updated;
DROP INDEX markets_start;
DROP INDEX markets_end;
DROP INDEX markets_timeless;
DROP INDEX markets_round;
DROP INDEX markets_open;
DROP INDEX markets_last;
DROP INDEX markets_silence;

-- The claims that a source made in one transaction, up to 128, of one kind.
CREATE TABLE chunks (
	id     INTEGER PRIMARY KEY,
	source INTEGER NOT NULL,
	kind   INTEGER NOT NULL, -- 1 market, 2 event, 3 series
	owners BLOB    NOT NULL, -- of each line; all bits set: it is empty
	docs   BLOB    NOT NULL  -- lines of JSON, compressed
) STRICT;
CREATE INDEX chunks_source ON chunks (source);
CREATE TABLE claims (
	owner  INTEGER PRIMARY KEY,
	places BLOB    NOT NULL -- varints: the id of a chunk × 256 and the number of the line
) STRICT;

CREATE TABLE markets (
	id            INTEGER PRIMARY KEY,
	venue         TEXT    NOT NULL, -- a letter for those that are known
	venue_id      TEXT    NOT NULL,
	alt_id        TEXT    NOT NULL,
	slug          TEXT    NOT NULL, -- "=": venue_id; one that begins so has another before it
	question      TEXT    NOT NULL, -- with codes for phrases (package short)
	category      TEXT    NOT NULL,
	event         INTEGER NOT NULL, -- 0: none
	series        INTEGER NOT NULL, -- 0: none
	coin          TEXT    NOT NULL,
	type          TEXT    NOT NULL,
	start_at      INTEGER NOT NULL,
	end_at        INTEGER NOT NULL,
	source_closed INTEGER NOT NULL,
	status        INTEGER NOT NULL, -- 0 open, 1 closed, 2 resolved
	updated_at    INTEGER NOT NULL,
	undated       INTEGER NOT NULL,
	disputed      INTEGER NOT NULL,
	captures      INTEGER NOT NULL,
	first         INTEGER NOT NULL,
	last          INTEGER NOT NULL,
	captured      INTEGER NOT NULL,
	coverage      INTEGER NOT NULL,
	silence       INTEGER NOT NULL,
	payout        INTEGER NOT NULL, -- a word; 0: none
	outcomes      INTEGER NOT NULL, -- a word; 0: the table of tokens has them
	rest          BLOB    NOT NULL, -- what no query selects by (package short)
	sum           INTEGER NOT NULL  -- with tokens, gaps, payout, schedule
) STRICT;
-- A list breaks ties by id, then venue, which is not worth its place in an index.
CREATE INDEX markets_slug ON markets (slug) WHERE slug <> '=';
CREATE INDEX markets_alt_id ON markets (alt_id) WHERE alt_id <> '';
CREATE INDEX markets_event ON markets (event) WHERE event <> 0;
CREATE INDEX markets_series ON markets (series, updated_at) WHERE series <> 0;
CREATE INDEX markets_updated ON markets (updated_at, venue_id, category, status, start_at, end_at) WHERE updated_at <> 0;
CREATE INDEX markets_start ON markets (start_at, venue_id) WHERE start_at <> 0;
CREATE INDEX markets_end ON markets (end_at, venue_id) WHERE end_at <> 0;
CREATE INDEX markets_round ON markets (coin, type, end_at, sum) WHERE coin <> '';
CREATE INDEX markets_open ON markets (category, end_at) WHERE status = 0;
CREATE INDEX markets_last ON markets (category, last) WHERE last <> 0;
CREATE INDEX markets_silence ON markets (silence) WHERE silence > 0;

-- The markets of which a time is not known, by venue_id: those from first on, up to
-- that of the next row.
CREATE TABLE timeless (
	first TEXT PRIMARY KEY,
	ids   BLOB NOT NULL -- in any order
) STRICT, WITHOUT ROWID;
