-- +goose Up
-- Checksums of rows, as package store makes them, and what an archive holds by
-- kind. The program fills them in with version 4.
ALTER TABLE sources ADD COLUMN removed bigint NOT NULL DEFAULT 0; -- markets, since it was last imported in whole
ALTER TABLE sources ADD COLUMN sum bigint NOT NULL DEFAULT 0;
ALTER TABLE parts ADD COLUMN refs bigint NOT NULL DEFAULT 0; -- sum of those of its blocks
ALTER TABLE parts ADD COLUMN sum bigint NOT NULL DEFAULT 0;
ALTER TABLE markets ADD COLUMN sum bigint NOT NULL DEFAULT 0; -- with tokens, gaps, payout, schedule

-- Rounds are found by this index alone: it has what their universe is summed up of.
DROP INDEX markets_round;
CREATE INDEX markets_round ON markets (coin, type, end_at, sum) WHERE coin <> '';
CREATE INDEX markets_silence ON markets (silence) WHERE silence > 0;
CREATE INDEX tokens_keys ON tokens (market_id) WHERE keys <> '{}';

CREATE TABLE tallies (
	category text     COLLATE "C" NOT NULL,
	coin     text     COLLATE "C" NOT NULL,
	type     text     COLLATE "C" NOT NULL,
	status   smallint NOT NULL,
	markets  bigint   NOT NULL,
	sums     bigint   NOT NULL, -- of the lower 32 bits of their sum
	ends     bigint   NOT NULL, -- of their end_at % 4294967291
	captured bigint   NOT NULL,
	captures bigint   NOT NULL,
	inferred bigint   NOT NULL,
	disputed bigint   NOT NULL,
	start_at bigint   NOT NULL, -- the earliest
	end_at   bigint   NOT NULL, -- the latest
	first    bigint   NOT NULL,
	last     bigint   NOT NULL,
	sum      bigint   NOT NULL,
	PRIMARY KEY (category, coin, type, status)
);
