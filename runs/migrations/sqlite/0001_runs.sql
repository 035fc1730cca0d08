CREATE TABLE runs (
    id           TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL,
    key_id       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    phase        TEXT NOT NULL DEFAULT '',
    stage        TEXT NOT NULL DEFAULT '',    -- what is done of it now; empty: nothing, it waits or is over
    done         INTEGER NOT NULL DEFAULT 0,  -- rounds of the phase
    total        INTEGER NOT NULL DEFAULT 0,
    kind         TEXT NOT NULL CHECK (kind IN ('backtest', 'sweep')),
    spec         TEXT NOT NULL,               -- JSON
    prompt       TEXT NOT NULL,
    coin         TEXT NOT NULL,
    market_type  TEXT NOT NULL,
    attended     INTEGER NOT NULL,            -- 1: a client holds a connection for the answer, and nothing is kept
    verdict      TEXT NOT NULL DEFAULT '',
    headline     TEXT NOT NULL DEFAULT '',    -- JSON; empty: not done
    result       BLOB,                        -- zstd of the answer; null: not done
    error        TEXT NOT NULL DEFAULT '',
    idempotency  TEXT,                        -- the client's name for the request
    digest       TEXT NOT NULL,               -- of the request, in hex
    share        BLOB UNIQUE,                 -- digest of the link's token; null: not shared
    plan         BLOB,                        -- zstd; null: not planned
    clock        INTEGER,                     -- seconds at which the baseline enters; null: not known, or none
    chunks       INTEGER NOT NULL DEFAULT 0,  -- of a pass
    engine       INTEGER NOT NULL,            -- number of the engine that works on it
    at_once      INTEGER NOT NULL,            -- how many runs of the organization are worked on at a time
    priority     INTEGER NOT NULL DEFAULT 1,  -- 1 goes first
    fingerprint  TEXT NOT NULL DEFAULT '',    -- runs with the same have the same result; empty: not known
    cached       INTEGER NOT NULL DEFAULT 0,  -- 1: the result is that of an earlier run
    created_at   INTEGER NOT NULL,            -- microseconds since 1970, as all times
    started_at   INTEGER NOT NULL DEFAULT 0,
    ended_at     INTEGER NOT NULL DEFAULT 0,
    expires      INTEGER NOT NULL DEFAULT 0,  -- 0: never
    look         INTEGER NOT NULL DEFAULT 0,  -- the how manieth try of its rounds it is, counts from 1; 0: not counted
    earlier      INTEGER NOT NULL DEFAULT 0,  -- independent tries before it, millionths
    try          TEXT NOT NULL DEFAULT '',    -- identity of the try; empty: not counted
    UNIQUE (organization, idempotency)
) STRICT;

CREATE INDEX runs_list ON runs (organization, created_at DESC, id DESC);
CREATE INDEX runs_work ON runs (created_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX runs_expires ON runs (expires) WHERE expires > 0;
CREATE INDEX runs_active ON runs (organization) WHERE stage <> '';
CREATE INDEX runs_same ON runs (organization, fingerprint) WHERE fingerprint <> '' AND state = 'done';

CREATE TABLE run_chunks (
    run      TEXT NOT NULL,
    chunk    INTEGER NOT NULL,            -- in the order of the merge; plans are below 0
    kind     TEXT NOT NULL,               -- of the task
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'released', 'done', 'failed')),
    markets  INTEGER NOT NULL DEFAULT 0,
    progress INTEGER NOT NULL DEFAULT 0,  -- of the markets
    tries    INTEGER NOT NULL DEFAULT 0,  -- that failed
    starts   INTEGER NOT NULL DEFAULT 0,  -- that have not ended
    worker   TEXT NOT NULL DEFAULT '',
    beat     INTEGER NOT NULL DEFAULT 0,  -- when it was released, or its worker was last heard of; by the clock of the database
    due      INTEGER NOT NULL DEFAULT 0,  -- not to be released before
    since    INTEGER NOT NULL DEFAULT 0,  -- when the archive was first found away; 0: it was not
    result   BLOB,                        -- zstd
    PRIMARY KEY (run, chunk)
) STRICT;
CREATE INDEX run_chunks_open ON run_chunks (state, beat) WHERE state <> 'done';

CREATE TABLE run_workers (
    id     TEXT NOT NULL PRIMARY KEY,
    slots  INTEGER NOT NULL,
    engine INTEGER NOT NULL,
    seen   INTEGER NOT NULL
) STRICT;

CREATE TABLE run_tasks (
    id       INTEGER PRIMARY KEY,
    kind     TEXT NOT NULL,
    run      TEXT NOT NULL,
    chunk    INTEGER NOT NULL,
    engine   INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    until    INTEGER NOT NULL DEFAULT 0,  -- taken until then
    UNIQUE (run, chunk)
) STRICT;
CREATE INDEX run_tasks_next ON run_tasks (engine, priority, id);
