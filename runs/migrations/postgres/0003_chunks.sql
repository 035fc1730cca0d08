-- +goose Up
ALTER TABLE runs DROP COLUMN worker;
ALTER TABLE runs DROP COLUMN lease;
ALTER TABLE runs ADD COLUMN stage text NOT NULL DEFAULT '';        -- what is done of it now; empty: nothing, it waits or is over
ALTER TABLE runs ADD COLUMN plan bytea;                             -- zstd; null: not planned
ALTER TABLE runs ADD COLUMN clock bigint;                            -- seconds at which the baseline enters; null: not known, or none
ALTER TABLE runs ADD COLUMN chunks bigint NOT NULL DEFAULT 0;        -- of a pass
ALTER TABLE runs ADD COLUMN engine bigint NOT NULL DEFAULT 1;        -- number of the engine that works on it
ALTER TABLE runs ADD COLUMN at_once bigint NOT NULL DEFAULT 0;       -- how many runs of the organization are worked on at a time
ALTER TABLE runs ADD COLUMN priority bigint NOT NULL DEFAULT 1;      -- 1 goes first
ALTER TABLE runs ADD COLUMN fingerprint text NOT NULL DEFAULT '';  -- runs with the same have the same result; empty: not known
ALTER TABLE runs ADD COLUMN cached bigint NOT NULL DEFAULT 0;        -- 1: the result is that of an earlier run
UPDATE runs SET state = 'queued' WHERE state = 'running';
CREATE INDEX runs_active ON runs (organization) WHERE stage <> '';
CREATE INDEX runs_same ON runs (organization, fingerprint) WHERE fingerprint <> '' AND state = 'done';

CREATE TABLE run_chunks (
    run      text NOT NULL,
    chunk    bigint NOT NULL,              -- in the order of the merge; plans are below 0
    kind     text NOT NULL,              -- of the task
    state    text NOT NULL CHECK (state IN ('waiting', 'released', 'done', 'failed')),
    markets  bigint NOT NULL DEFAULT 0,
    progress bigint NOT NULL DEFAULT 0,    -- of the markets
    tries    bigint NOT NULL DEFAULT 0,    -- that failed
    starts   bigint NOT NULL DEFAULT 0,    -- that have not ended
    worker   text NOT NULL DEFAULT '',
    beat     bigint NOT NULL DEFAULT 0,    -- when it was released, or its worker was last heard of; by the clock of the database
    due      bigint NOT NULL DEFAULT 0,    -- not to be released before
    since    bigint NOT NULL DEFAULT 0,    -- when the archive was first found away; 0: it was not
    result   bytea,                       -- zstd
    PRIMARY KEY (run, chunk)
);
CREATE INDEX run_chunks_open ON run_chunks (state, beat) WHERE state <> 'done';

CREATE TABLE run_workers (
    id     text NOT NULL PRIMARY KEY,
    slots  bigint NOT NULL,
    engine bigint NOT NULL,
    seen   bigint NOT NULL
);
