-- The rows of package archive. Instants are microseconds since 1970 UTC, ids
-- are 63-bit hashes, lists of ids are in order. Text is compared by its bytes,
-- and holds what this database cannot (a zero byte, bytes that are not UTF-8)
-- escaped.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS intarray;

-- How far an instant lies before the end of a list, in whole numbers that a float8, in
-- which distances are kept, holds exactly. What lies outside is at either end. (From the
-- end, as GiST parts a page into lower and upper, and puts both behind the others: where
-- the newest rows are the lower, those to come are compared with half as many.)
CREATE FUNCTION list_before_end(at bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS 'SELECT 9007199254740991 - least(greatest(at, 0), 9007199254740991)';

-- The text that a row is searched by, unless it is too long for a page of the
-- index: those rows are found by its length.
CREATE FUNCTION list_text(search text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN octet_length(search) <= 1500 THEN search ELSE '' END $$;

CREATE TABLE sources (
	id          bigint   PRIMARY KEY,
	sha256      bytea    NOT NULL,
	name        text     COLLATE "C" NOT NULL,
	size        bigint   NOT NULL,
	format      text     COLLATE "C" NOT NULL,
	authority   smallint NOT NULL,
	licence     text     COLLATE "C" NOT NULL,
	imported_at bigint   NOT NULL,
	complete    boolean  NOT NULL,
	problem     text     COLLATE "C" NOT NULL,
	messages    bigint   NOT NULL,
	rejected    jsonb    NOT NULL, -- reason to number
	markets     bigint   NOT NULL,
	captures    bigint   NOT NULL,
	duplicates  bigint   NOT NULL,
	changes     bigint   NOT NULL,
	blocks      bigint   NOT NULL,
	bytes       bigint   NOT NULL,
	removed     bigint   NOT NULL, -- markets, since it was last imported in whole
	sum         bigint   NOT NULL  -- checksums of rows are those of package store
);

CREATE TABLE claims (
	kind   smallint NOT NULL, -- 1 market, 2 event, 3 series
	owner  bigint   NOT NULL,
	source bigint   NOT NULL,
	doc    bytea    NOT NULL, -- JSON
	PRIMARY KEY (kind, owner, source)
);
CREATE INDEX claims_source ON claims (source, kind, owner);

CREATE TABLE parts (
	owner    bigint   NOT NULL,
	source   bigint   NOT NULL,
	token    bigint   NOT NULL,
	kind     smallint NOT NULL, -- stream
	whole    boolean  NOT NULL,
	blocks   bigint   NOT NULL,
	captures bigint   NOT NULL,
	changes  bigint   NOT NULL,
	bytes    bigint   NOT NULL,
	first    bigint   NOT NULL,
	last     bigint   NOT NULL,
	span     bigint   NOT NULL, -- longest of its blocks
	refs     bigint   NOT NULL, -- sum of the checksums of its blocks' rows
	sum      bigint   NOT NULL,
	PRIMARY KEY (owner, source, token, kind)
);

-- Nothing refers to blocks and blocks refer to nothing, so that they can move
-- out of this database.
CREATE TABLE blocks (
	token_id bigint   NOT NULL,
	kind     smallint NOT NULL, -- stream
	first    bigint   NOT NULL,
	sequence bigint   NOT NULL,
	last     bigint   NOT NULL,
	source   bigint   NOT NULL,
	position bigint   NOT NULL,
	captures bigint   NOT NULL,
	changes  bigint   NOT NULL,
	kinds    integer  NOT NULL, -- what its captures give, a bit each
	traded   bigint   NOT NULL, -- by its trades, 1e-10 USD; -1: more than fits
	bytes    bigint   NOT NULL,
	checksum bigint   NOT NULL, -- CRC-32C of data
	anchor   bigint   NOT NULL,
	keyframe boolean  NOT NULL,
	version  smallint NOT NULL,
	data     bytea    NOT NULL,
	pack     bigint   NOT NULL DEFAULT 0, -- that has its bytes, then data is empty; 0: data has them
	place    bigint   NOT NULL DEFAULT 0, -- of the first of them in the pack
	PRIMARY KEY (token_id, kind, first, sequence)
);
ALTER TABLE blocks ALTER COLUMN data SET STORAGE EXTERNAL; -- compressed already
CREATE INDEX blocks_pack ON blocks (pack, place, bytes) WHERE pack <> 0;

-- Folders, and parts of buckets, that this archive alone keeps packs in.
CREATE TABLE depots (
	address text   COLLATE "C" PRIMARY KEY,
	at      bigint NOT NULL -- first used
);

CREATE TABLE packs (
	id      bigint PRIMARY KEY,
	address text   COLLATE "C" NOT NULL, -- of its depot
	name    text   COLLATE "C" NOT NULL, -- of the object: SHA-256 of its bytes
	bytes   bigint NOT NULL, -- of the object
	blocks  bigint NOT NULL, -- put into it
	at      bigint NOT NULL, -- written
	sum     bigint NOT NULL
);

CREATE TABLE markets (
	id                bigint   PRIMARY KEY,
	venue             text     COLLATE "C" NOT NULL,
	venue_id          text     COLLATE "C" NOT NULL,
	alt_id            text     COLLATE "C" NOT NULL,
	slug              text     COLLATE "C" NOT NULL,
	question          text     COLLATE "C" NOT NULL,
	description       text     COLLATE "C" NOT NULL,
	category          text     COLLATE "C" NOT NULL,
	event             bigint   NOT NULL, -- 0: none
	series            bigint   NOT NULL, -- 0: none
	event_id          text     COLLATE "C" NOT NULL,
	series_id         text     COLLATE "C" NOT NULL,
	tags              text[]   COLLATE "C" NOT NULL,
	coin              text     COLLATE "C" NOT NULL,
	type              text     COLLATE "C" NOT NULL,
	start_at          bigint   NOT NULL,
	end_at            bigint   NOT NULL,
	source_closed     boolean  NOT NULL,
	source_closed_at  bigint   NOT NULL,
	source_updated_at bigint   NOT NULL,
	mirrored          boolean  NOT NULL,
	tick              bigint   NOT NULL,
	min_size          bigint   NOT NULL,
	status            smallint NOT NULL, -- 0 open, 1 closed, 2 resolved
	closed_at         bigint   NOT NULL,
	updated_at        bigint   NOT NULL,
	undated           boolean  NOT NULL,
	disputed          boolean  NOT NULL,
	owners            bigint[] NOT NULL,
	captures          bigint   NOT NULL,
	first             bigint   NOT NULL,
	last              bigint   NOT NULL,
	captured          boolean  NOT NULL,
	coverage          bigint   NOT NULL,
	silence           bigint   NOT NULL,
	pair_lag          bigint   NOT NULL,
	trades_once       boolean  NOT NULL,
	content           bytea    NOT NULL,
	basis             bytea    NOT NULL,
	payout            text     COLLATE "C", -- its basis; NULL: none
	fractions         bigint[], -- one per token, 1e-6
	fee_rate          bigint, -- 1e-6; NULL: no schedule
	fee_exponent      bigint,
	taker_only        boolean,
	tokens            text[]   COLLATE "C" NOT NULL, -- their ids at the exchange, in market order
	labels            text[]   COLLATE "C" NOT NULL,
	outcomes          smallint[] NOT NULL,
	derived           boolean[] NOT NULL,
	places            bigint[] NOT NULL, -- of each block key of a token its place in tokens, then the key
	token_ids         bigint[] NOT NULL, -- what tokens are found by: 18 bits of hashes of their ids
	search            text     COLLATE "C" NOT NULL, -- question and slug in lower case
	keys              integer[] NOT NULL, -- what it is filtered by for equality: the first 32 bits of MD5 each
	standing          bigint   NOT NULL, -- what sampling asks of a round; 0: it is none
	sum               bigint   NOT NULL -- with gaps
);
-- Nothing is selected by these: counting how often each of their values is there is a third of
-- what an ANALYZE of the table takes. Of places it is known how many have any.
ALTER TABLE markets ALTER fractions SET STATISTICS 0, ALTER tokens SET STATISTICS 0, ALTER labels SET STATISTICS 0,
	ALTER outcomes SET STATISTICS 0, ALTER derived SET STATISTICS 0, ALTER places SET STATISTICS 1;
-- Markets and events are found by their public ids too through the ids made of these.
CREATE INDEX markets_slug ON markets (slug, venue);
CREATE INDEX markets_alt_id ON markets (alt_id, venue) WHERE alt_id <> '';
CREATE INDEX markets_event ON markets (event, id) WHERE event <> 0;
CREATE INDEX markets_series ON markets (series, updated_at, venue_id, venue) WHERE series <> 0;
CREATE INDEX markets_updated ON markets (updated_at, venue_id, venue);
CREATE INDEX markets_category ON markets (category, updated_at, venue_id, venue);
CREATE INDEX markets_open ON markets (updated_at, venue_id, venue) WHERE status = 0;
CREATE INDEX markets_start ON markets (start_at, venue_id, venue);
CREATE INDEX markets_end ON markets (end_at, venue_id, venue);
-- Rounds are found by this index alone: it has what their universe is summed up of.
CREATE INDEX markets_round ON markets (coin, type, end_at) INCLUDE (id, venue_id, standing, sum) WHERE coin <> '';
CREATE INDEX markets_closing ON markets (category, end_at) WHERE status = 0;
CREATE INDEX markets_last ON markets (category, last);
CREATE INDEX markets_tags ON markets USING gin (tags);
CREATE INDEX markets_search ON markets USING gin (search gin_trgm_ops);
-- Lists in their order whatever they are filtered by: one index whose pages know
-- what lies within them, and which is read by distance from the end of time.
CREATE INDEX markets_list ON markets USING gist (
	list_before_end(updated_at), list_before_end(start_at), list_before_end(end_at),
	keys gist__intbig_ops (siglen = 64), list_text(search) gist_trgm_ops (siglen = 512));
CREATE INDEX markets_long ON markets (octet_length(search));
CREATE INDEX markets_silence ON markets (silence) WHERE silence > 0;
CREATE INDEX markets_tokens ON markets USING gin (token_ids);
CREATE INDEX markets_places ON markets (id) WHERE places <> '{}';

-- The venues of all markets and events.
CREATE TABLE venues (
	name text COLLATE "C" PRIMARY KEY
);

CREATE TABLE gaps (
	market_id bigint   NOT NULL,
	token     smallint NOT NULL, -- its place in the market's tokens
	from_at   bigint   NOT NULL,
	to_at     bigint   NOT NULL,
	PRIMARY KEY (market_id, token, from_at)
);

CREATE TABLE events (
	id                bigint   PRIMARY KEY,
	venue             text     COLLATE "C" NOT NULL,
	venue_id          text     COLLATE "C" NOT NULL,
	slug              text     COLLATE "C" NOT NULL,
	title             text     COLLATE "C" NOT NULL,
	series            bigint   NOT NULL, -- 0: none
	series_id         text     COLLATE "C" NOT NULL,
	category          text     COLLATE "C" NOT NULL,
	tags              text[]   COLLATE "C" NOT NULL,
	start_at          bigint   NOT NULL,
	end_at            bigint   NOT NULL,
	source_updated_at bigint   NOT NULL,
	updated_at        bigint   NOT NULL,
	status            smallint NOT NULL,
	markets           bigint   NOT NULL,
	search            text     COLLATE "C" NOT NULL, -- title and slug in lower case
	keys              integer[] NOT NULL -- as in markets
);
CREATE INDEX events_slug ON events (slug, venue);
CREATE INDEX events_series ON events (series, updated_at, venue_id, venue) WHERE series <> 0;
CREATE INDEX events_updated ON events (updated_at, venue_id, venue);
CREATE INDEX events_category ON events (category, updated_at, venue_id, venue);
CREATE INDEX events_open ON events (updated_at, venue_id, venue) WHERE status = 0;
CREATE INDEX events_start ON events (start_at, venue_id, venue);
CREATE INDEX events_end ON events (end_at, venue_id, venue);
CREATE INDEX events_tags ON events USING gin (tags);
CREATE INDEX events_search ON events USING gin (search gin_trgm_ops);
CREATE INDEX events_list ON events USING gist (
	list_before_end(updated_at), list_before_end(start_at), list_before_end(end_at),
	keys gist__intbig_ops (siglen = 64), list_text(search) gist_trgm_ops (siglen = 512));
CREATE INDEX events_long ON events (octet_length(search));

CREATE TABLE series (
	id                bigint PRIMARY KEY,
	venue             text   COLLATE "C" NOT NULL,
	venue_id          text   COLLATE "C" NOT NULL,
	slug              text   COLLATE "C" NOT NULL,
	title             text   COLLATE "C" NOT NULL,
	recurrence        text   COLLATE "C" NOT NULL,
	category          text   COLLATE "C" NOT NULL,
	tags              text[] COLLATE "C" NOT NULL,
	source_updated_at bigint NOT NULL,
	updated_at        bigint NOT NULL,
	markets           bigint NOT NULL,
	search            text   COLLATE "C" NOT NULL -- title and slug in lower case
);
CREATE UNIQUE INDEX series_venue_id ON series (venue_id, venue);
CREATE INDEX series_slug ON series (slug, venue);
CREATE INDEX series_updated ON series (updated_at, venue_id, venue);
CREATE INDEX series_tags ON series USING gin (tags);
CREATE INDEX series_search ON series USING gin (search gin_trgm_ops);

-- Three letters that stand side by side in the text of a row, before and after which
-- separators stand. There may be more than rows have. The trigrams of markets_search are
-- of whole words: a text of one or two letters is found by those that have it in them.
CREATE TABLE pieces (
	kind  smallint NOT NULL, -- of rows, as of claims
	piece text     COLLATE "C" NOT NULL,
	PRIMARY KEY (kind, piece)
);

-- How many series, events and markets of a category carry a tag.
CREATE TABLE tags (
	tag      text   COLLATE "C" NOT NULL,
	category text   COLLATE "C" NOT NULL,
	uses     bigint NOT NULL,
	PRIMARY KEY (tag, category)
);

-- What the archive holds, by kind of market and the day of its end, or of all days.
CREATE TABLE tallies (
	coin     text     COLLATE "C" NOT NULL,
	type     text     COLLATE "C" NOT NULL,
	day      bigint   NOT NULL, -- since 1970; -9223372036854775808: all
	category text     COLLATE "C" NOT NULL,
	status   smallint NOT NULL,
	markets  bigint   NOT NULL,
	sums     bigint   NOT NULL, -- of the lower 32 bits of their sum
	ends     bigint   NOT NULL, -- of their end_at % 4294967291, and standing
	captured bigint   NOT NULL,
	captures bigint   NOT NULL,
	inferred bigint   NOT NULL,
	disputed bigint   NOT NULL,
	rounds   bytea    NOT NULL, -- those with a payout, by its basis and their coverage
	start_at bigint   NOT NULL, -- the earliest
	ended    bigint   NOT NULL, -- the earliest end
	end_at   bigint   NOT NULL, -- the latest
	first    bigint   NOT NULL,
	last     bigint   NOT NULL,
	sum      bigint   NOT NULL,
	PRIMARY KEY (coin, type, day, category, status)
);
CREATE INDEX tallies_day ON tallies (day);

-- The same of each category, by the day of the start of its markets.
CREATE TABLE days (
	category  text   COLLATE "C" NOT NULL,
	day       bigint NOT NULL,
	markets   bigint NOT NULL,
	resolved  bigint NOT NULL,
	captured  bigint NOT NULL,
	simulated bigint NOT NULL,
	captures  bigint NOT NULL,
	coverage  bigint NOT NULL, -- sum of those captured
	sum       bigint NOT NULL,
	PRIMARY KEY (category, day)
);

-- The row of no category is the number of the transaction that wrote last, that of
-- "#tallies" the seal of the tallies of all days.
CREATE TABLE watermarks (
	category text   COLLATE "C" PRIMARY KEY,
	at       bigint NOT NULL
);

COMMENT ON TABLE sources IS 'ladderback archive 494fec3c';
