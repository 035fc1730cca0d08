-- +goose Up
CREATE TABLE access_keys (
    id           TEXT NOT NULL PRIMARY KEY,
    digest       BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    plan         TEXT NOT NULL,
    organization TEXT NOT NULL,
    name         TEXT NOT NULL DEFAULT '',
    created_at   INTEGER NOT NULL,            -- microseconds since 1970
    revoked_at   INTEGER NOT NULL DEFAULT 0   -- 0: not revoked
) STRICT;

CREATE TABLE access_usage (
    key_id      TEXT NOT NULL PRIMARY KEY,
    minute      INTEGER NOT NULL,             -- UTC minute since 1970
    minute_used INTEGER NOT NULL,
    day         INTEGER NOT NULL,             -- UTC day since 1970
    day_used    INTEGER NOT NULL,
    bulk_used   INTEGER NOT NULL              -- bulk points in the day
) STRICT;
