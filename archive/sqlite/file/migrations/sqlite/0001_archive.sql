-- The rows of package archive. Instants are microseconds since 1970 UTC, ids
-- are 63-bit hashes, lists of ids are big-endian 8-byte numbers.
CREATE TABLE sources (
	id          INTEGER PRIMARY KEY,
	sha256      BLOB    NOT NULL,
	name        TEXT    NOT NULL,
	size        INTEGER NOT NULL,
	format      TEXT    NOT NULL,
	authority   INTEGER NOT NULL,
	licence     TEXT    NOT NULL,
	imported_at INTEGER NOT NULL,
	complete    INTEGER NOT NULL,
	problem     TEXT    NOT NULL,
	messages    INTEGER NOT NULL,
	rejected    TEXT    NOT NULL, -- JSON: reason to number
	markets     INTEGER NOT NULL,
	captures    INTEGER NOT NULL,
	duplicates  INTEGER NOT NULL,
	changes     INTEGER NOT NULL,
	blocks      INTEGER NOT NULL,
	bytes       INTEGER NOT NULL,
	removed     INTEGER NOT NULL, -- markets, since it was last imported in whole
	sum         INTEGER NOT NULL  -- checksums of rows are those of package store
) STRICT;

-- What is found by an id, which is a hash: one of a day may be on any page, and a day would
-- write them all. It comes into ids_new, and goes over, in order, to ids_mid with every 16,384th
-- market, and to ids_old with every 262,144th. Statements ask ids for all.
CREATE TABLE ids_old (
	kind INTEGER NOT NULL, -- 1 market, 2 event, 3 series, 4 token, 5 event of a market, 6 owner of claims
	id   INTEGER NOT NULL,
	at   ANY     NOT NULL, -- number of the row, of kind 4 and 5 of the market; 6: varints, the id of a chunk × 256 and the number of the line
	PRIMARY KEY (kind, id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE ids_mid (
	kind INTEGER NOT NULL,
	id   INTEGER NOT NULL,
	at   ANY     NOT NULL,
	PRIMARY KEY (kind, id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE ids_new (
	kind INTEGER NOT NULL,
	id   INTEGER NOT NULL,
	at   ANY     NOT NULL,
	PRIMARY KEY (kind, id, at)
) STRICT, WITHOUT ROWID;
-- Of the ids that went over together, by which those that are in none are known.
CREATE TABLE ids_sieve (
	number INTEGER PRIMARY KEY, -- negative: to ids_old
	bits   BLOB    NOT NULL
) STRICT;
CREATE VIEW ids AS SELECT kind, id, at FROM ids_old UNION ALL SELECT kind, id, at FROM ids_mid UNION ALL SELECT kind, id, at FROM ids_new;
CREATE TRIGGER ids_insert INSTEAD OF INSERT ON ids BEGIN
	INSERT INTO ids_new (kind, id, at) VALUES (new.kind, new.id, new.at);
END;
CREATE TRIGGER ids_update INSTEAD OF UPDATE OF at ON ids BEGIN
	UPDATE ids_old SET at = new.at WHERE kind = old.kind AND id = old.id AND at = old.at;
	UPDATE ids_mid SET at = new.at WHERE kind = old.kind AND id = old.id AND at = old.at;
	UPDATE ids_new SET at = new.at WHERE kind = old.kind AND id = old.id AND at = old.at;
END;
CREATE TRIGGER ids_delete INSTEAD OF DELETE ON ids BEGIN
	DELETE FROM ids_old WHERE kind = old.kind AND id = old.id AND at = old.at;
	DELETE FROM ids_mid WHERE kind = old.kind AND id = old.id AND at = old.at;
	DELETE FROM ids_new WHERE kind = old.kind AND id = old.id AND at = old.at;
END;

-- The claims that a source made in one transaction, up to 128, of one kind.
CREATE TABLE chunks (
	id     INTEGER PRIMARY KEY,
	source INTEGER NOT NULL,
	kind   INTEGER NOT NULL, -- 1 market, 2 event, 3 series
	owners BLOB    NOT NULL, -- of each line; all bits set: it is empty
	docs   BLOB    NOT NULL  -- lines of JSON, compressed
) STRICT;
CREATE INDEX chunks_source ON chunks (source);

CREATE TABLE parts (
	owner    INTEGER NOT NULL,
	source   INTEGER NOT NULL,
	token    INTEGER NOT NULL,
	kind     INTEGER NOT NULL, -- stream
	whole    INTEGER NOT NULL,
	blocks   INTEGER NOT NULL,
	captures INTEGER NOT NULL,
	changes  INTEGER NOT NULL,
	bytes    INTEGER NOT NULL,
	first    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	span     INTEGER NOT NULL, -- longest of its blocks
	refs     INTEGER NOT NULL, -- sum of the checksums of its blocks' rows
	sum      INTEGER NOT NULL,
	PRIMARY KEY (owner, source, token, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
	token_id INTEGER NOT NULL,
	kind     INTEGER NOT NULL, -- stream
	first    INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	source   INTEGER NOT NULL,
	position INTEGER NOT NULL,
	captures INTEGER NOT NULL,
	changes  INTEGER NOT NULL,
	kinds    INTEGER NOT NULL, -- what its captures give, a bit each
	traded   INTEGER NOT NULL, -- by its trades, 1e-10 USD; -1: more than fits
	bytes    INTEGER NOT NULL,
	checksum INTEGER NOT NULL, -- CRC-32C of data
	anchor   INTEGER NOT NULL,
	keyframe INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	data     BLOB    NOT NULL,
	pack     INTEGER NOT NULL DEFAULT 0, -- that has its bytes, then data is empty; 0: data has them
	place    INTEGER NOT NULL DEFAULT 0, -- of the first of them in the pack
	PRIMARY KEY (token_id, kind, first, sequence)
) STRICT;
CREATE INDEX blocks_pack ON blocks (pack, place, bytes) WHERE pack <> 0;

-- Folders, and parts of buckets, that this archive alone keeps packs in.
CREATE TABLE depots (
	address TEXT    PRIMARY KEY,
	at      INTEGER NOT NULL -- first used
) STRICT, WITHOUT ROWID;

CREATE TABLE packs (
	id      INTEGER PRIMARY KEY,
	address TEXT    NOT NULL, -- of its depot
	name    TEXT    NOT NULL, -- of the object: SHA-256 of its bytes
	bytes   INTEGER NOT NULL, -- of the object
	blocks  INTEGER NOT NULL, -- put into it
	at      INTEGER NOT NULL, -- written
	sum     INTEGER NOT NULL
) STRICT;

-- The venues of the markets.
CREATE TABLE venues (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- Texts that many markets have in common: payouts and tokens.
CREATE TABLE words (
	id   INTEGER PRIMARY KEY,
	text TEXT    NOT NULL UNIQUE -- JSON
) STRICT;

-- Ids are hashes. Rows stand in the order in which they came, so that a day touches few
-- pages however many there are.
CREATE TABLE markets (
	number            INTEGER PRIMARY KEY, -- in order of arrival
	id                INTEGER NOT NULL,
	venue             TEXT    NOT NULL,
	venue_id          TEXT    NOT NULL,
	alt_id            TEXT    NOT NULL,
	slug              TEXT    NOT NULL, -- "=": venue_id; one that begins so has another before it
	question          TEXT    NOT NULL,
	description       TEXT    NOT NULL,
	category          TEXT    NOT NULL,
	event             INTEGER NOT NULL, -- 0: none
	series            INTEGER NOT NULL, -- 0: none
	event_id          TEXT    NOT NULL,
	series_id         TEXT    NOT NULL,
	tags              TEXT    NOT NULL, -- JSON
	coin              TEXT    NOT NULL,
	type              TEXT    NOT NULL,
	start_at          INTEGER NOT NULL,
	end_at            INTEGER NOT NULL,
	source_closed     INTEGER NOT NULL,
	source_closed_at  INTEGER NOT NULL,
	source_updated_at INTEGER NOT NULL,
	mirrored          INTEGER NOT NULL,
	tick              INTEGER NOT NULL,
	min_size          INTEGER NOT NULL,
	status            INTEGER NOT NULL, -- 0 open, 1 closed, 2 resolved
	closed_at         INTEGER NOT NULL,
	updated_at        INTEGER NOT NULL,
	undated           INTEGER NOT NULL,
	disputed          INTEGER NOT NULL,
	owners            BLOB    NOT NULL,
	captures          INTEGER NOT NULL,
	first             INTEGER NOT NULL,
	last              INTEGER NOT NULL,
	captured          INTEGER NOT NULL,
	coverage          INTEGER NOT NULL,
	silence           INTEGER NOT NULL,
	pair_lag          INTEGER NOT NULL,
	trades_once       INTEGER NOT NULL,
	content           BLOB    NOT NULL, -- empty: all zero, as in basis
	basis             BLOB    NOT NULL,
	payout            INTEGER NOT NULL, -- a word; 0: none
	outcomes          INTEGER NOT NULL, -- a word; 0: the table of tokens has them
	standing          INTEGER NOT NULL, -- what sampling asks of a round; 0: it is none
	sum               INTEGER NOT NULL  -- with tokens, gaps, payout, schedule
) STRICT;
-- A market is found by its id, which is a hash of its venue's name for it. Lists are
-- walked over by times that are known; they end, or begin, with those of which the
-- time is not. A list breaks ties by venue_id, then venue, which is not worth its place
-- in an index.
CREATE INDEX markets_slug ON markets (slug) WHERE slug <> '=';
CREATE INDEX markets_alt_id ON markets (alt_id) WHERE alt_id <> '';
CREATE INDEX markets_series ON markets (series, updated_at) WHERE series <> 0;
-- The default order of lists, with what lists are filtered by: rows that a filter
-- leaves out are passed over within the index.
CREATE INDEX markets_updated ON markets (updated_at, venue_id, category, status, start_at, end_at) WHERE updated_at <> 0;
CREATE INDEX markets_start ON markets (start_at, venue_id) WHERE start_at <> 0;
CREATE INDEX markets_end ON markets (end_at, venue_id) WHERE end_at <> 0;
CREATE INDEX markets_timeless ON markets (venue_id) WHERE start_at = 0 OR end_at = 0 OR updated_at = 0;
-- Rounds are found by this index alone: it has what their universe is summed up of.
CREATE INDEX markets_round ON markets (coin, type, end_at, venue_id, id, standing, sum) WHERE coin <> '';
CREATE INDEX markets_open ON markets (category, end_at) WHERE status = 0;
CREATE INDEX markets_last ON markets (category, last) WHERE last <> 0;
CREATE INDEX markets_silence ON markets (silence) WHERE silence > 0;
CREATE TRIGGER markets_insert AFTER INSERT ON markets BEGIN
	INSERT INTO ids_new (kind, id, at) VALUES (1, new.id, new.number);
	INSERT INTO ids_new (kind, id, at) SELECT 5, new.event, new.number WHERE new.event <> 0;
END;
CREATE TRIGGER markets_update AFTER UPDATE OF event ON markets BEGIN
	DELETE FROM ids WHERE kind = 5 AND id = old.event AND at = old.number;
	INSERT INTO ids_new (kind, id, at) SELECT 5, new.event, new.number WHERE new.event <> 0;
END;
CREATE TRIGGER markets_delete AFTER DELETE ON markets BEGIN
	DELETE FROM ids WHERE kind = 1 AND id = old.id AND at = old.number;
	DELETE FROM ids WHERE kind = 5 AND id = old.event AND at = old.number;
END;
CREATE TRIGGER markets_many AFTER INSERT ON markets WHEN new.number % 16384 = 0 BEGIN
	INSERT INTO ids_sieve (bits) SELECT id_sieve(id) FROM ids_new WHERE kind <> 4;
	INSERT INTO ids_mid SELECT kind, id, at FROM ids_new ORDER BY kind, id, at;
	DELETE FROM ids_new;
END;
CREATE TRIGGER markets_very_many AFTER INSERT ON markets WHEN new.number % 262144 = 0 BEGIN
	DELETE FROM ids_sieve WHERE number >= 0;
	INSERT INTO ids_sieve (number, bits) SELECT coalesce(min(number), 0) - 1, coalesce((SELECT id_sieve(id) FROM ids_mid WHERE kind <> 4), x'') FROM ids_sieve;
	INSERT INTO ids_old SELECT kind, id, at FROM ids_mid ORDER BY kind, id, at;
	DELETE FROM ids_mid;
END;

-- Of the markets whose tokens no word has.
CREATE TABLE tokens (
	market   INTEGER NOT NULL, -- its number
	position INTEGER NOT NULL, -- in market order
	id       INTEGER NOT NULL,
	venue_id TEXT    NOT NULL, -- of a derived one what follows its market's
	label    TEXT    NOT NULL,
	outcome  INTEGER NOT NULL,
	derived  INTEGER NOT NULL,
	keys     BLOB    NOT NULL, -- token_id of its blocks
	PRIMARY KEY (market, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_keys ON tokens (keys) WHERE keys <> x'';
-- Two tokens of a market may have one id. Not OR IGNORE: the statement put has the say of that.
CREATE TRIGGER tokens_insert AFTER INSERT ON tokens BEGIN
	INSERT INTO ids_new (kind, id, at) SELECT 4, new.id, new.market
		WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE market = new.market AND id = new.id AND position <> new.position);
END;
CREATE TRIGGER tokens_update AFTER UPDATE OF id ON tokens WHEN new.id <> old.id BEGIN
	DELETE FROM ids WHERE kind = 4 AND id = old.id AND at = old.market AND NOT EXISTS (SELECT 1 FROM tokens WHERE market = old.market AND id = old.id);
	INSERT INTO ids_new (kind, id, at) SELECT 4, new.id, new.market
		WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE market = new.market AND id = new.id AND position <> new.position);
END;
CREATE TRIGGER tokens_delete AFTER DELETE ON tokens BEGIN
	DELETE FROM ids WHERE kind = 4 AND id = old.id AND at = old.market AND NOT EXISTS (SELECT 1 FROM tokens WHERE market = old.market AND id = old.id);
END;

CREATE TABLE schedules (
	market     INTEGER PRIMARY KEY, -- its number
	rate       INTEGER NOT NULL, -- 1e-6
	exponent   INTEGER NOT NULL,
	taker_only INTEGER NOT NULL
) STRICT;

CREATE TABLE gaps (
	token_id INTEGER NOT NULL,
	from_at  INTEGER NOT NULL,
	to_at    INTEGER NOT NULL,
	PRIMARY KEY (token_id, from_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
	number            INTEGER PRIMARY KEY, -- in order of arrival
	id                INTEGER NOT NULL,
	venue             TEXT    NOT NULL,
	venue_id          TEXT    NOT NULL,
	slug              TEXT    NOT NULL,
	title             TEXT    NOT NULL,
	series            INTEGER NOT NULL, -- 0: none
	series_id         TEXT    NOT NULL,
	category          TEXT    NOT NULL,
	tags              TEXT    NOT NULL, -- JSON
	start_at          INTEGER NOT NULL,
	end_at            INTEGER NOT NULL,
	source_updated_at INTEGER NOT NULL,
	updated_at        INTEGER NOT NULL,
	status            INTEGER NOT NULL,
	markets           INTEGER NOT NULL,
	search            TEXT    NOT NULL -- title and slug in lower case
) STRICT;
-- An event is found by its public id as a market is; one that is made of its rounds has it as its slug too.
CREATE INDEX events_slug ON events (slug) WHERE slug <> venue_id;
CREATE INDEX events_series ON events (series) WHERE series <> 0;
CREATE INDEX events_updated ON events (updated_at, venue_id, venue);
CREATE INDEX events_start ON events (start_at, venue_id, venue);
CREATE INDEX events_end ON events (end_at, venue_id, venue);
CREATE INDEX events_category ON events (category); -- says whether any has it
CREATE TRIGGER events_insert AFTER INSERT ON events BEGIN
	INSERT INTO ids_new (kind, id, at) VALUES (2, new.id, new.number);
END;
CREATE TRIGGER events_delete AFTER DELETE ON events BEGIN
	DELETE FROM ids WHERE kind = 2 AND id = old.id AND at = old.number;
END;

CREATE TABLE series (
	number            INTEGER PRIMARY KEY, -- in order of arrival
	id                INTEGER NOT NULL,
	venue             TEXT    NOT NULL,
	venue_id          TEXT    NOT NULL,
	slug              TEXT    NOT NULL,
	title             TEXT    NOT NULL,
	recurrence        TEXT    NOT NULL,
	category          TEXT    NOT NULL,
	tags              TEXT    NOT NULL, -- JSON
	source_updated_at INTEGER NOT NULL,
	updated_at        INTEGER NOT NULL,
	markets           INTEGER NOT NULL,
	search            TEXT    NOT NULL -- title and slug in lower case
) STRICT;
CREATE UNIQUE INDEX series_venue_id ON series (venue_id, venue);
CREATE INDEX series_slug ON series (slug);
CREATE INDEX series_updated ON series (updated_at, venue_id, venue);
CREATE TRIGGER series_insert AFTER INSERT ON series BEGIN
	INSERT INTO ids_new (kind, id, at) VALUES (3, new.id, new.number);
END;
CREATE TRIGGER series_delete AFTER DELETE ON series BEGIN
	DELETE FROM ids WHERE kind = 3 AND id = old.id AND at = old.number;
END;

-- What carries a tag: of each sheet of 16,384 numbers, the set of its rows that do.
CREATE TABLE tags (
	tag      TEXT    NOT NULL,
	category TEXT    NOT NULL,
	kind     INTEGER NOT NULL, -- of rows: 1 markets, 2 events, 3 series
	sheet    INTEGER NOT NULL, -- number / 16384
	rows     BLOB    NOT NULL, -- a bit each, or number % 16384 in two bytes each
	PRIMARY KEY (tag, category, kind, sheet)
) STRICT, WITHOUT ROWID;

-- Which rows have four bytes beside each other in the text that they are searched by:
-- sets as in tags, but that may have rows too many.
CREATE TABLE grams (
	kind  INTEGER NOT NULL,
	sheet INTEGER NOT NULL,
	gram  INTEGER NOT NULL, -- the bytes
	rows  BLOB    NOT NULL,
	PRIMARY KEY (kind, sheet, gram)
) STRICT, WITHOUT ROWID;
-- Bounds of the times of the rows of a page.
CREATE TABLE gram_pages (
	kind         INTEGER NOT NULL,
	page         INTEGER NOT NULL, -- number / 4096
	updated_from INTEGER NOT NULL,
	updated_to   INTEGER NOT NULL,
	start_from   INTEGER NOT NULL,
	start_to     INTEGER NOT NULL,
	end_from     INTEGER NOT NULL,
	end_to       INTEGER NOT NULL,
	PRIMARY KEY (kind, page)
) STRICT, WITHOUT ROWID;

-- What the archive holds, by kind of market and the day of its end, or of all days.
CREATE TABLE tallies (
	coin     TEXT    NOT NULL,
	type     TEXT    NOT NULL,
	day      INTEGER NOT NULL, -- since 1970; -9223372036854775808: all
	category TEXT    NOT NULL,
	status   INTEGER NOT NULL,
	markets  INTEGER NOT NULL,
	sums     INTEGER NOT NULL, -- of the lower 32 bits of their sum
	ends     INTEGER NOT NULL, -- of their end_at % 4294967291, and standing
	captured INTEGER NOT NULL,
	captures INTEGER NOT NULL,
	inferred INTEGER NOT NULL,
	disputed INTEGER NOT NULL,
	rounds   BLOB    NOT NULL, -- those with a payout, by its basis and their coverage
	start_at INTEGER NOT NULL, -- the earliest
	ended    INTEGER NOT NULL, -- the earliest end
	end_at   INTEGER NOT NULL, -- the latest
	first    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	sum      INTEGER NOT NULL,
	PRIMARY KEY (coin, type, day, category, status)
) STRICT, WITHOUT ROWID;
CREATE INDEX tallies_day ON tallies (day);

-- The same of each category, by the day of the start of its markets.
CREATE TABLE days (
	category  TEXT    NOT NULL,
	day       INTEGER NOT NULL,
	markets   INTEGER NOT NULL,
	resolved  INTEGER NOT NULL,
	captured  INTEGER NOT NULL,
	simulated INTEGER NOT NULL,
	captures  INTEGER NOT NULL,
	coverage  INTEGER NOT NULL, -- sum of those captured
	sum       INTEGER NOT NULL,
	PRIMARY KEY (category, day)
) STRICT, WITHOUT ROWID;

-- Sums of the file's pages as they were last written, 256 a row of 4 bytes each; 0: not
-- known.
CREATE TABLE pages (
	number INTEGER PRIMARY KEY, -- of the first page of the row / 256
	sums   BLOB    NOT NULL
) STRICT;

-- The row of no category is the number of the transaction that wrote last, that of
-- "#tallies" the seal of the tallies of all days, that of "#pages" the version of the tables
-- that the sums of pages are of.
CREATE TABLE watermarks (
	category TEXT PRIMARY KEY,
	at       INTEGER NOT NULL
) STRICT;

PRAGMA application_id = 0x4c424b48; -- "LBKH"
