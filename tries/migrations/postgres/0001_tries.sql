CREATE TABLE tries (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order in which they were made
    organization text NOT NULL,
    coin         text NOT NULL,
    market_type  text NOT NULL,
    side         text NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('backtest', 'sweep')),
    identity     text NOT NULL,               -- of strategy, axes, rounds and terms: equal ones are one try
    prompt       text NOT NULL,
    variants     bigint NOT NULL,
    weight       bigint NOT NULL,            -- independent tries, millionths: all variants until the sweep is over
    look         bigint NOT NULL,            -- counts from 1, as of when it was made
    earlier      bigint NOT NULL,            -- weights of the tries before it, as of then
    first_round  bigint NOT NULL,            -- start of the first round, microseconds since 1970, as all times
    last_round   bigint NOT NULL,            -- end of the last
    made_at      bigint NOT NULL,
    done_at      bigint NOT NULL DEFAULT 0,  -- 0: it never ended
    reset        bigint NOT NULL DEFAULT 0   -- the reset that took it out of the count; 0: it counts
);
CREATE UNIQUE INDEX tries_once ON tries (organization, identity) WHERE reset = 0;

CREATE TABLE tries_resets (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization text NOT NULL,
    coin         text NOT NULL,
    market_type  text NOT NULL,
    tries        bigint NOT NULL,            -- that it took out of the count
    reason       text NOT NULL,
    made_at      bigint NOT NULL
);

CREATE TABLE tries_lockboxes (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization text NOT NULL,
    starts       bigint NOT NULL,            -- rounds that end then or later are held out
    seen_before  bigint NOT NULL,            -- tries that had replayed rounds of it when it was made
    made_at      bigint NOT NULL,
    opened_at    bigint NOT NULL DEFAULT 0,  -- 0: it is closed
    tries        bigint NOT NULL DEFAULT 0   -- made when it was opened
);
CREATE UNIQUE INDEX tries_lockboxes_closed ON tries_lockboxes (organization) WHERE opened_at = 0;
