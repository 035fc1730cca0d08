-- +goose Up
CREATE TABLE access_sessions (
    digest     BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),  -- of the token
    key_digest BLOB NOT NULL,               -- of the key behind it
    made_at    INTEGER NOT NULL,            -- microseconds since 1970
    seen_at    INTEGER NOT NULL             -- the last request, to a minute
) STRICT;
