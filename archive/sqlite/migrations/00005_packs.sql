-- +goose Up
-- Bytes of blocks in packs: objects outside the archive. The program sets the
-- version.
ALTER TABLE blocks ADD COLUMN pack INTEGER NOT NULL DEFAULT 0; -- that has its bytes, then data is empty; 0: data has them
ALTER TABLE blocks ADD COLUMN place INTEGER NOT NULL DEFAULT 0; -- of the first of them in the pack
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
