-- +goose Up
CREATE TABLE access_sessions (
    digest     bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),  -- of the token
    key_digest bytea NOT NULL,              -- of the key behind it
    made_at    bigint NOT NULL,             -- microseconds since 1970
    seen_at    bigint NOT NULL              -- the last request, to a minute
);
