CREATE TABLE runs (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    organization text NOT NULL,
    key_id       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    phase        text NOT NULL DEFAULT '',
    stage        text NOT NULL DEFAULT '',    -- what is done of it now; empty: nothing, it waits or is over
    done         bigint NOT NULL DEFAULT 0,   -- rounds of the phase
    total        bigint NOT NULL DEFAULT 0,
    kind         text NOT NULL CHECK (kind IN ('backtest', 'sweep')),
    spec         text NOT NULL,               -- JSON
    prompt       text NOT NULL,
    coin         text NOT NULL,
    market_type  text NOT NULL,
    attended     bigint NOT NULL,             -- 1: a client holds a connection for the answer, and nothing is kept
    verdict      text NOT NULL DEFAULT '',
    headline     text NOT NULL DEFAULT '',    -- JSON; empty: not done
    result       bytea,                       -- zstd of the answer; null: not done
    error        text NOT NULL DEFAULT '',
    idempotency  text,                        -- the client's name for the request
    digest       text NOT NULL,               -- of the request, in hex
    share        bytea UNIQUE,                -- digest of the link's token; null: not shared
    plan         bytea,                       -- zstd; null: not planned
    clock        bigint,                      -- seconds at which the baseline enters; null: not known, or none
    chunks       bigint NOT NULL DEFAULT 0,   -- of a pass
    engine       bigint NOT NULL,             -- number of the engine that works on it
    at_once      bigint NOT NULL,             -- how many runs of the organization are worked on at a time
    priority     bigint NOT NULL DEFAULT 1,   -- 1 goes first
    fingerprint  text NOT NULL DEFAULT '',    -- runs with the same have the same result; empty: not known
    cached       bigint NOT NULL DEFAULT 0,   -- 1: the result is that of an earlier run
    created_at   bigint NOT NULL,             -- microseconds since 1970, as all times
    started_at   bigint NOT NULL DEFAULT 0,
    ended_at     bigint NOT NULL DEFAULT 0,
    expires      bigint NOT NULL DEFAULT 0,   -- 0: never
    look         bigint NOT NULL DEFAULT 0,   -- the how manieth try of its rounds it is, counts from 1; 0: not counted
    earlier      bigint NOT NULL DEFAULT 0,   -- independent tries before it, millionths
    try          text NOT NULL DEFAULT '',    -- identity of the try; empty: not counted
    UNIQUE (organization, idempotency)
);

CREATE INDEX runs_list ON runs (organization, created_at DESC, id DESC);
CREATE INDEX runs_work ON runs (created_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX runs_expires ON runs (expires) WHERE expires > 0;
CREATE INDEX runs_active ON runs (organization) WHERE stage <> '';
CREATE INDEX runs_same ON runs (organization, fingerprint) WHERE fingerprint <> '' AND state = 'done';

CREATE TABLE run_chunks (
    run      text NOT NULL,
    chunk    bigint NOT NULL,                 -- in the order of the merge; plans are below 0
    kind     text NOT NULL,                   -- of the task
    state    text NOT NULL CHECK (state IN ('waiting', 'released', 'done', 'failed')),
    markets  bigint NOT NULL DEFAULT 0,
    progress bigint NOT NULL DEFAULT 0,       -- of the markets
    tries    bigint NOT NULL DEFAULT 0,       -- that failed
    starts   bigint NOT NULL DEFAULT 0,       -- that have not ended
    worker   text NOT NULL DEFAULT '',
    beat     bigint NOT NULL DEFAULT 0,       -- when it was released, or its worker was last heard of; by the clock of the database
    due      bigint NOT NULL DEFAULT 0,       -- not to be released before
    since    bigint NOT NULL DEFAULT 0,       -- when the archive was first found away; 0: it was not
    result   bytea,                           -- zstd
    PRIMARY KEY (run, chunk)
);
CREATE INDEX run_chunks_open ON run_chunks (state, beat) WHERE state <> 'done';

CREATE TABLE run_workers (
    id     text NOT NULL PRIMARY KEY,
    slots  bigint NOT NULL,
    engine bigint NOT NULL,
    seen   bigint NOT NULL
);
