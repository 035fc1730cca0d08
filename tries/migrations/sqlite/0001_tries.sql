CREATE TABLE tries (
    id           INTEGER PRIMARY KEY,         -- in the order in which they were made
    organization TEXT NOT NULL,
    coin         TEXT NOT NULL,
    market_type  TEXT NOT NULL,
    side         TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('backtest', 'sweep')),
    identity     TEXT NOT NULL,               -- of strategy, axes, rounds and terms: equal ones are one try
    prompt       TEXT NOT NULL,
    variants     INTEGER NOT NULL,
    weight       INTEGER NOT NULL,            -- independent tries, millionths: all variants until the sweep is over
    look         INTEGER NOT NULL,            -- counts from 1, as of when it was made
    earlier      INTEGER NOT NULL,            -- weights of the tries before it, as of then
    first_round  INTEGER NOT NULL,            -- start of the first round, microseconds since 1970, as all times
    last_round   INTEGER NOT NULL,            -- end of the last
    made_at      INTEGER NOT NULL,
    done_at      INTEGER NOT NULL DEFAULT 0,  -- 0: it never ended
    reset        INTEGER NOT NULL DEFAULT 0   -- the reset that took it out of the count; 0: it counts
) STRICT;
CREATE UNIQUE INDEX tries_once ON tries (organization, identity) WHERE reset = 0;

CREATE TABLE tries_resets (
    id           INTEGER PRIMARY KEY,
    organization TEXT NOT NULL,
    coin         TEXT NOT NULL,
    market_type  TEXT NOT NULL,
    tries        INTEGER NOT NULL,            -- that it took out of the count
    reason       TEXT NOT NULL,
    made_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE tries_lockboxes (
    id           INTEGER PRIMARY KEY,
    organization TEXT NOT NULL,
    starts       INTEGER NOT NULL,            -- rounds that end then or later are held out
    seen_before  INTEGER NOT NULL,            -- tries that had replayed rounds of it when it was made
    made_at      INTEGER NOT NULL,
    opened_at    INTEGER NOT NULL DEFAULT 0,  -- 0: it is closed
    tries        INTEGER NOT NULL DEFAULT 0   -- made when it was opened
) STRICT;
CREATE UNIQUE INDEX tries_lockboxes_closed ON tries_lockboxes (organization) WHERE opened_at = 0;
