-- +goose Up
CREATE TABLE runs (
    id           TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL,
    key_id       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    phase        TEXT NOT NULL DEFAULT '',
    done         INTEGER NOT NULL DEFAULT 0,  -- rounds of the phase
    total        INTEGER NOT NULL DEFAULT 0,
    spec         TEXT NOT NULL,               -- JSON
    prompt       TEXT NOT NULL,
    coin         TEXT NOT NULL,
    market_type  TEXT NOT NULL,
    verdict      TEXT NOT NULL DEFAULT '',
    headline     TEXT NOT NULL DEFAULT '',    -- JSON; empty: not done
    result       BLOB,                        -- zstd of the answer; null: not done
    error        TEXT NOT NULL DEFAULT '',
    idempotency  TEXT,                        -- the client's name for the request
    digest       TEXT NOT NULL,               -- of the request, in hex
    share        BLOB UNIQUE,                 -- digest of the link's token; null: not shared
    worker       TEXT NOT NULL DEFAULT '',
    lease        INTEGER NOT NULL DEFAULT 0,  -- until when the worker holds the run
    created_at   INTEGER NOT NULL,            -- microseconds since 1970, as all times
    started_at   INTEGER NOT NULL DEFAULT 0,
    ended_at     INTEGER NOT NULL DEFAULT 0,
    expires      INTEGER NOT NULL DEFAULT 0,  -- 0: never
    UNIQUE (organization, idempotency)
) STRICT;

CREATE INDEX runs_list ON runs (organization, created_at DESC, id DESC);
CREATE INDEX runs_work ON runs (created_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX runs_expires ON runs (expires) WHERE expires > 0;
