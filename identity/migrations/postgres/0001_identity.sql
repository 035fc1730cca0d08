-- Keys, accounts, sessions, usage. Times are microseconds since 1970 unless said otherwise.

CREATE TABLE access_keys (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    digest       bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
    plan         text NOT NULL,
    organization text NOT NULL,
    name         text NOT NULL DEFAULT '',
    created_at   bigint NOT NULL,             -- microseconds since 1970
    revoked_at   bigint NOT NULL DEFAULT 0,  -- 0: not revoked
    expires_at   bigint NOT NULL DEFAULT 0,  -- 0: never
    organization_id text COLLATE "C" NOT NULL DEFAULT '',  -- empty: made by the operator
    maker        text COLLATE "C" NOT NULL DEFAULT ''  -- account that made it; empty: the operator
);

CREATE TABLE access_usage (
    key_id      text COLLATE "C" NOT NULL PRIMARY KEY,
    minute      bigint NOT NULL,              -- UTC minute since 1970
    minute_used integer NOT NULL,
    day         bigint NOT NULL,              -- UTC day since 1970
    day_used    integer NOT NULL,
    bulk_used   bigint NOT NULL               -- bulk points in the day
) WITH (fillfactor = 50);

CREATE INDEX access_keys_organization ON access_keys (organization_id) WHERE organization_id <> '';

CREATE TABLE access_usage_days (
    key_id    text COLLATE "C" NOT NULL,
    day       bigint NOT NULL,               -- UTC day since 1970
    requests  bigint NOT NULL,               -- all, refused ones too
    refusals  bigint NOT NULL,
    bulk      bigint NOT NULL,               -- bulk points
    backtests bigint NOT NULL,
    PRIMARY KEY (key_id, day)
);

CREATE TABLE access_refusals (
    key_id   text COLLATE "C" NOT NULL,
    day      bigint NOT NULL,
    code     text COLLATE "C" NOT NULL,      -- of the error
    refusals bigint NOT NULL,
    PRIMARY KEY (key_id, day, code)
);

CREATE TABLE access_accounts (
    id          text COLLATE "C" NOT NULL PRIMARY KEY,
    address     text NOT NULL,               -- as written
    folded      text COLLATE "C" NOT NULL UNIQUE,
    password    text,                        -- argon2id; null: none
    verified_at bigint NOT NULL DEFAULT 0,   -- microseconds since 1970, as all times; 0: not
    disabled_at bigint NOT NULL DEFAULT 0,
    created_at  bigint NOT NULL
);

CREATE TABLE access_identities (
    issuer     text COLLATE "C" NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    account    text COLLATE "C" NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    created_at bigint NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX access_identities_account ON access_identities (account);

CREATE TABLE access_organizations (
    id         text COLLATE "C" NOT NULL PRIMARY KEY,
    name       text NOT NULL,
    plan       text NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE access_members (
    organization text COLLATE "C" NOT NULL REFERENCES access_organizations (id) ON DELETE CASCADE,
    account      text COLLATE "C" NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    role         text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
    since        bigint NOT NULL,
    PRIMARY KEY (organization, account)
);
CREATE INDEX access_members_account ON access_members (account);

CREATE TABLE access_invitations (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    organization text COLLATE "C" NOT NULL REFERENCES access_organizations (id) ON DELETE CASCADE,
    address      text NOT NULL,
    folded       text COLLATE "C" NOT NULL,
    role         text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
    digest       bytea UNIQUE,               -- of the token in the mail; null: none sent yet
    made_by      text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    ends_at      bigint NOT NULL,
    UNIQUE (organization, folded)
);

CREATE TABLE access_sessions (
    digest       bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),  -- of the cookie's token
    id           text COLLATE "C" NOT NULL UNIQUE,  -- for lists and tokens
    key_digest   bytea,  -- of the key that signed in; null: an account did
    account      text COLLATE "C" REFERENCES access_accounts (id) ON DELETE CASCADE,
    organization text COLLATE "C" NOT NULL,  -- an account works in; empty: of a key
    made_at      bigint NOT NULL,  -- of the sign-in
    seen_at      bigint NOT NULL,  -- the last request, to a minute
    ends_at      bigint NOT NULL,
    agent        text NOT NULL,
    network      text NOT NULL,
    CHECK ((key_digest IS NULL) <> (account IS NULL))
);
CREATE INDEX access_sessions_account ON access_sessions (account);

CREATE TABLE access_tokens (
    digest  bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
    account text COLLATE "C" NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    purpose text COLLATE "C" NOT NULL,       -- verify, email, reset, join
    address text NOT NULL,                   -- that it was sent to
    detail  text NOT NULL DEFAULT '',        -- join: the identity, as JSON
    ends_at bigint NOT NULL,
    used_at bigint NOT NULL DEFAULT 0
);
CREATE INDEX access_tokens_account ON access_tokens (account, purpose);

CREATE TABLE access_outbox (
    id       text COLLATE "C" NOT NULL PRIMARY KEY,
    kind     text COLLATE "C" NOT NULL,      -- what is to be done, or which mail to write
    address  text NOT NULL,
    account  text COLLATE "C" NOT NULL DEFAULT '',
    detail   text NOT NULL DEFAULT '{}',     -- JSON, without secrets but a password's hash
    made_at  bigint NOT NULL,
    due_at   bigint NOT NULL,                -- not before
    tries    bigint NOT NULL DEFAULT 0,
    done_at  bigint NOT NULL DEFAULT 0,
    failed   text NOT NULL DEFAULT ''        -- why it was given up
);
CREATE INDEX access_outbox_due ON access_outbox (due_at) WHERE done_at = 0;

CREATE TABLE access_audit (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,  -- in order of time
    organization text COLLATE "C" NOT NULL,
    account      text COLLATE "C" NOT NULL,              -- who
    action       text COLLATE "C" NOT NULL,
    target       text NOT NULL,
    at           bigint NOT NULL,
    network      text NOT NULL                           -- /24 or /48
);
CREATE INDEX access_audit_organization ON access_audit (organization, id);
CREATE INDEX access_audit_at ON access_audit (at);

CREATE TABLE access_attempts (
    subject  bytea NOT NULL PRIMARY KEY,     -- digest of an address or a network
    failures bigint NOT NULL,
    last_at  bigint NOT NULL,
    until    bigint NOT NULL                 -- refused before then
);

CREATE TABLE access_signing_keys (
    id         text COLLATE "C" NOT NULL PRIMARY KEY,
    public     bytea NOT NULL CHECK (octet_length(public) = 32),  -- Ed25519; the private half is in one process's memory
    created_at bigint NOT NULL,
    ends_at    bigint NOT NULL
);

CREATE TABLE access_grants (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    account      text COLLATE "C" NOT NULL REFERENCES access_accounts (id) ON DELETE CASCADE,
    organization text COLLATE "C" NOT NULL REFERENCES access_organizations (id) ON DELETE CASCADE,
    client       text COLLATE "C" NOT NULL,       -- its client id
    name         text NOT NULL,                    -- that the client gives itself
    resource     text COLLATE "C" NOT NULL,       -- the audience of its tokens
    scopes       text NOT NULL,                    -- separated by spaces
    made_at      bigint NOT NULL,
    used_at      bigint NOT NULL,                  -- the last access token was made
    ends_at      bigint NOT NULL
);
CREATE INDEX access_grants_account ON access_grants (account);

CREATE TABLE access_grant_tokens (
    digest  bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
    family  text COLLATE "C" NOT NULL REFERENCES access_grants (id) ON DELETE CASCADE,
    kind    text COLLATE "C" NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
    scopes  text NOT NULL,
    detail  text NOT NULL DEFAULT '',            -- of a code: what proves whose it is, as JSON
    ends_at bigint NOT NULL,
    used_at bigint NOT NULL DEFAULT 0            -- a code or a refresh token used again ends the family
);
CREATE INDEX access_grant_tokens_family ON access_grant_tokens (family);
CREATE INDEX access_grant_tokens_ends ON access_grant_tokens (ends_at);
