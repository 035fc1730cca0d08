-- +goose Up
ALTER TABLE runs DROP COLUMN worker;
ALTER TABLE runs DROP COLUMN lease;
ALTER TABLE runs ADD COLUMN stage TEXT NOT NULL DEFAULT '';        -- what is done of it now; empty: nothing, it waits or is over
ALTER TABLE runs ADD COLUMN plan BLOB;                             -- zstd; null: not planned
ALTER TABLE runs ADD COLUMN clock INTEGER;                            -- seconds at which the baseline enters; null: not known, or none
ALTER TABLE runs ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;        -- of a pass
ALTER TABLE runs ADD COLUMN engine INTEGER NOT NULL DEFAULT 1;        -- number of the engine that works on it
ALTER TABLE runs ADD COLUMN at_once INTEGER NOT NULL DEFAULT 0;       -- how many runs of the organization are worked on at a time
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 1;      -- 1 goes first
ALTER TABLE runs ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';  -- runs with the same have the same result; empty: not known
ALTER TABLE runs ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;        -- 1: the result is that of an earlier run
UPDATE runs SET state = 'queued' WHERE state = 'running';
CREATE INDEX runs_active ON runs (organization) WHERE stage <> '';
CREATE INDEX runs_same ON runs (organization, fingerprint) WHERE fingerprint <> '' AND state = 'done';

CREATE TABLE run_chunks (
    run      TEXT NOT NULL,
    chunk    INTEGER NOT NULL,              -- in the order of the merge; plans are below 0
    kind     TEXT NOT NULL,              -- of the task
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'released', 'done', 'failed')),
    markets  INTEGER NOT NULL DEFAULT 0,
    progress INTEGER NOT NULL DEFAULT 0,    -- of the markets
    tries    INTEGER NOT NULL DEFAULT 0,    -- that failed
    starts   INTEGER NOT NULL DEFAULT 0,    -- that have not ended
    worker   TEXT NOT NULL DEFAULT '',
    beat     INTEGER NOT NULL DEFAULT 0,    -- when it was released, or its worker was last heard of; by the clock of the database
    due      INTEGER NOT NULL DEFAULT 0,    -- not to be released before
    since    INTEGER NOT NULL DEFAULT 0,    -- when the archive was first found away; 0: it was not
    result   BLOB,                       -- zstd
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
