-- +goose Up
CREATE TABLE runs (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    organization text NOT NULL,
    key_id       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    phase        text NOT NULL DEFAULT '',
    done         bigint NOT NULL DEFAULT 0,  -- rounds of the phase
    total        bigint NOT NULL DEFAULT 0,
    spec         text NOT NULL,               -- JSON
    prompt       text NOT NULL,
    coin         text NOT NULL,
    market_type  text NOT NULL,
    verdict      text NOT NULL DEFAULT '',
    headline     text NOT NULL DEFAULT '',    -- JSON; empty: not done
    result       bytea,                        -- zstd of the answer; null: not done
    error        text NOT NULL DEFAULT '',
    idempotency  text,                        -- the client's name for the request
    digest       text NOT NULL,               -- of the request, in hex
    share        bytea UNIQUE,                 -- digest of the link's token; null: not shared
    worker       text NOT NULL DEFAULT '',
    lease        bigint NOT NULL DEFAULT 0,  -- until when the worker holds the run
    created_at   bigint NOT NULL,            -- microseconds since 1970, as all times
    started_at   bigint NOT NULL DEFAULT 0,
    ended_at     bigint NOT NULL DEFAULT 0,
    expires      bigint NOT NULL DEFAULT 0,  -- 0: never
    UNIQUE (organization, idempotency)
);

CREATE INDEX runs_list ON runs (organization, created_at DESC, id DESC);
CREATE INDEX runs_work ON runs (created_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX runs_expires ON runs (expires) WHERE expires > 0;
