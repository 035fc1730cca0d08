-- +goose Up
-- Bytes of blocks in packs: objects outside the database.
ALTER TABLE blocks ADD COLUMN pack bigint NOT NULL DEFAULT 0; -- that has its bytes, then data is empty; 0: data has them
ALTER TABLE blocks ADD COLUMN place bigint NOT NULL DEFAULT 0; -- of the first of them in the pack
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
