-- +goose Up
-- Checksums of rows, as package store makes them, and what an archive holds by
-- kind. They are filled in by the program, which then sets the version.
ALTER TABLE sources ADD COLUMN removed INTEGER NOT NULL DEFAULT 0; -- markets, since it was last imported in whole
ALTER TABLE sources ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE parts ADD COLUMN refs INTEGER NOT NULL DEFAULT 0; -- sum of those of its blocks
ALTER TABLE parts ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE markets ADD COLUMN sum INTEGER NOT NULL DEFAULT 0; -- with tokens, gaps, payout, schedule

-- Rounds are found by this index alone: it has what their universe is summed up of.
DROP INDEX markets_round;
CREATE INDEX markets_round ON markets (coin, type, end_at, sum) WHERE coin <> '';
CREATE INDEX markets_silence ON markets (silence) WHERE silence > 0;
CREATE INDEX tokens_keys ON tokens (keys) WHERE keys <> x'';

-- Less of what rows hold already: texts are searched in the rows, and a token whose
-- id is made of its market's is found by that.
DROP INDEX markets_updated;
CREATE INDEX markets_updated ON markets (updated_at, venue_id, venue, category, status, start_at, end_at);
DROP INDEX tokens_venue_id;
CREATE INDEX tokens_venue_id ON tokens (venue_id) WHERE derived = 0;

DROP INDEX markets_last;
CREATE INDEX markets_last ON markets (category, last) WHERE last <> 0;
ALTER TABLE markets DROP COLUMN search; -- made of question and slug when it is asked for
-- Of a derived id only what follows the id of the market.
UPDATE tokens SET venue_id = substr(venue_id, 1 + length((SELECT m.venue_id FROM markets m WHERE m.id = tokens.market_id)))
	WHERE derived <> 0 AND instr(venue_id, (SELECT m.venue_id FROM markets m WHERE m.id = tokens.market_id) || ':') = 1;

CREATE TABLE tallies (
	category TEXT    NOT NULL,
	coin     TEXT    NOT NULL,
	type     TEXT    NOT NULL,
	status   INTEGER NOT NULL,
	markets  INTEGER NOT NULL,
	sums     INTEGER NOT NULL, -- of the lower 32 bits of their sum
	ends     INTEGER NOT NULL, -- of their end_at % 4294967291
	captured INTEGER NOT NULL,
	captures INTEGER NOT NULL,
	inferred INTEGER NOT NULL,
	disputed INTEGER NOT NULL,
	start_at INTEGER NOT NULL, -- the earliest
	end_at   INTEGER NOT NULL, -- the latest
	first    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	sum      INTEGER NOT NULL,
	PRIMARY KEY (category, coin, type, status)
) STRICT, WITHOUT ROWID;
