-- Keys, accounts, sessions, usage. Times are microseconds since 1970 unless said otherwise.

CREATE TABLE access_keys (
    id           TEXT NOT NULL PRIMARY KEY,
    digest       BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    plan         TEXT NOT NULL,
    organization TEXT NOT NULL,
    name         TEXT NOT NULL DEFAULT '',
    created_at   INTEGER NOT NULL,            -- microseconds since 1970
    revoked_at   INTEGER NOT NULL DEFAULT 0,  -- 0: not revoked
    expires_at   INTEGER NOT NULL DEFAULT 0,  -- 0: never
    organization_id TEXT NOT NULL DEFAULT '',  -- empty: made by the operator
    maker        TEXT NOT NULL DEFAULT ''  -- account that made it; empty: the operator
) STRICT;

CREATE TABLE access_usage (
    key_id      TEXT NOT NULL PRIMARY KEY,
    minute      INTEGER NOT NULL,             -- UTC minute since 1970
    minute_used INTEGER NOT NULL,
    day         INTEGER NOT NULL,             -- UTC day since 1970
    day_used    INTEGER NOT NULL,
    bulk_used   INTEGER NOT NULL              -- bulk points in the day
) STRICT;

CREATE INDEX access_keys_organization ON access_keys (organization_id) WHERE organization_id <> '';

CREATE TABLE access_usage_days (
    key_id    TEXT NOT NULL,
    day       INTEGER NOT NULL,               -- UTC day since 1970
    requests  INTEGER NOT NULL,               -- all, refused ones too
    refusals  INTEGER NOT NULL,
    bulk      INTEGER NOT NULL,               -- bulk points
    backtests INTEGER NOT NULL,
    PRIMARY KEY (key_id, day)
) STRICT;

CREATE TABLE access_refusals (
    key_id   TEXT NOT NULL,
    day      INTEGER NOT NULL,
    code     TEXT NOT NULL,      -- of the error
    refusals INTEGER NOT NULL,
    PRIMARY KEY (key_id, day, code)
) STRICT;

CREATE TABLE access_accounts (
    id          TEXT NOT NULL PRIMARY KEY,
    address     TEXT NOT NULL,               -- as written
    folded      TEXT NOT NULL UNIQUE,
    password    TEXT,                        -- argon2id; null: none
    verified_at INTEGER NOT NULL DEFAULT 0,   -- microseconds since 1970, as all times; 0: not
    disabled_at INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE access_identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    account    TEXT NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT;
CREATE INDEX access_identities_account ON access_identities (account);

CREATE TABLE access_organizations (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    plan       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE access_members (
    organization TEXT NOT NULL REFERENCES access_organizations (id) ON DELETE CASCADE,
    account      TEXT NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    role         TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
    since        INTEGER NOT NULL,
    PRIMARY KEY (organization, account)
) STRICT;
CREATE INDEX access_members_account ON access_members (account);

CREATE TABLE access_invitations (
    id           TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES access_organizations (id) ON DELETE CASCADE,
    address      TEXT NOT NULL,
    folded       TEXT NOT NULL,
    role         TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
    digest       BLOB UNIQUE,               -- of the token in the mail; null: none sent yet
    made_by      TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    ends_at      INTEGER NOT NULL,
    UNIQUE (organization, folded)
) STRICT;

CREATE TABLE access_sessions (
    digest       BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),  -- of the cookie's token
    id           TEXT NOT NULL UNIQUE,  -- for lists and tokens
    key_digest   BLOB,  -- of the key that signed in; null: an account did
    account      TEXT REFERENCES access_accounts (id) ON DELETE CASCADE,
    organization TEXT NOT NULL,  -- an account works in; empty: of a key
    made_at      INTEGER NOT NULL,  -- of the sign-in
    seen_at      INTEGER NOT NULL,  -- the last request, to a minute
    ends_at      INTEGER NOT NULL,
    agent        TEXT NOT NULL,
    network      TEXT NOT NULL,
    CHECK ((key_digest IS NULL) <> (account IS NULL))
) STRICT;
CREATE INDEX access_sessions_account ON access_sessions (account);

CREATE TABLE access_tokens (
    digest  BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    account TEXT NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL,       -- verify, email, reset, join
    address TEXT NOT NULL,                   -- that it was sent to
    detail  TEXT NOT NULL DEFAULT '',        -- join: the identity, as JSON
    ends_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX access_tokens_account ON access_tokens (account, purpose);

CREATE TABLE access_outbox (
    id       TEXT NOT NULL PRIMARY KEY,
    kind     TEXT NOT NULL,      -- what is to be done, or which mail to write
    address  TEXT NOT NULL,
    account  TEXT NOT NULL DEFAULT '',
    detail   TEXT NOT NULL DEFAULT '{}',     -- JSON, without secrets but a password's hash
    made_at  INTEGER NOT NULL,
    due_at   INTEGER NOT NULL,                -- not before
    tries    INTEGER NOT NULL DEFAULT 0,
    done_at  INTEGER NOT NULL DEFAULT 0,
    failed   TEXT NOT NULL DEFAULT ''        -- why it was given up
) STRICT;
CREATE INDEX access_outbox_due ON access_outbox (due_at) WHERE done_at = 0;

CREATE TABLE access_audit (
    id           TEXT NOT NULL PRIMARY KEY,  -- in order of time
    organization TEXT NOT NULL,
    account      TEXT NOT NULL,              -- who
    action       TEXT NOT NULL,
    target       TEXT NOT NULL,
    at           INTEGER NOT NULL,
    network      TEXT NOT NULL                           -- /24 or /48
) STRICT;
CREATE INDEX access_audit_organization ON access_audit (organization, id);
CREATE INDEX access_audit_at ON access_audit (at);

CREATE TABLE access_attempts (
    subject  BLOB NOT NULL PRIMARY KEY,     -- digest of an address or a network
    failures INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    until    INTEGER NOT NULL                 -- refused before then
) STRICT;

CREATE TABLE access_signing_keys (
    id         TEXT NOT NULL PRIMARY KEY,
    public     BLOB NOT NULL CHECK (length(public) = 32),  -- Ed25519; the private half is in one process's memory
    created_at INTEGER NOT NULL,
    ends_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE access_grants (
    id           TEXT NOT NULL PRIMARY KEY,
    account      TEXT NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    organization TEXT NOT NULL REFERENCES access_organizations (id) ON DELETE CASCADE,
    client       TEXT NOT NULL,       -- its client id
    name         TEXT NOT NULL,                    -- that the client gives itself
    resource     TEXT NOT NULL,       -- the audience of its tokens
    scopes       TEXT NOT NULL,                    -- separated by spaces
    made_at      INTEGER NOT NULL,
    used_at      INTEGER NOT NULL,                  -- the last access token was made
    ends_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX access_grants_account ON access_grants (account);

CREATE TABLE access_grant_tokens (
    digest  BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    family  TEXT NOT NULL REFERENCES access_grants (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
    scopes  TEXT NOT NULL,
    detail  TEXT NOT NULL DEFAULT '',            -- of a code: what proves whose it is, as JSON
    ends_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL DEFAULT 0            -- a code or a refresh token used again ends the family
) STRICT;
CREATE INDEX access_grant_tokens_family ON access_grant_tokens (family);
CREATE INDEX access_grant_tokens_ends ON access_grant_tokens (ends_at);
