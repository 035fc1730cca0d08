-- +goose Up
CREATE TABLE access_keys (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    digest       bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
    plan         text NOT NULL,
    organization text NOT NULL,
    name         text NOT NULL DEFAULT '',
    created_at   bigint NOT NULL,             -- microseconds since 1970
    revoked_at   bigint NOT NULL DEFAULT 0    -- 0: not revoked
);

CREATE TABLE access_usage (
    key_id      text COLLATE "C" NOT NULL PRIMARY KEY,
    minute      bigint NOT NULL,              -- UTC minute since 1970
    minute_used integer NOT NULL,
    day         bigint NOT NULL,              -- UTC day since 1970
    day_used    integer NOT NULL,
    bulk_used   bigint NOT NULL               -- bulk points in the day
) WITH (fillfactor = 50);
