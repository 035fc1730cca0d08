-- +goose Up
-- Lists in their order whatever they are filtered by: one index whose pages know
-- what lies within them, and which is read by distance from the end of time.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS intarray;

-- Where an instant lies in a list, in whole numbers that a float8, in which
-- distances are kept, holds exactly. What lies outside is at either end.
-- +goose StatementBegin
CREATE FUNCTION list_place(at bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS 'SELECT least(greatest(at, 0), 9007199254740991)';
-- +goose StatementEnd

-- What a row is filtered by for equality, as numbers. Two may be the same.
-- +goose StatementBegin
CREATE FUNCTION list_keys(tags text[], category text, series bigint, status smallint) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
	SELECT array_agg(('x' || left(md5(k), 8))::bit(32)::integer)
	FROM unnest(tags || ARRAY['category ' || category, 'series ' || series::text, 'status ' || status::text]) k
$$;
-- +goose StatementEnd

-- The text that a row is searched by, unless it is too long for a page of the
-- index: those rows are found by its length.
-- +goose StatementBegin
CREATE FUNCTION list_text(search text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN octet_length(search) <= 1500 THEN search ELSE '' END $$;
-- +goose StatementEnd

ALTER TABLE markets ADD COLUMN keys integer[] NOT NULL GENERATED ALWAYS AS (list_keys(tags, category, series, status)) STORED;
CREATE INDEX markets_list ON markets USING gist (
	list_place(updated_at), list_place(start_at), list_place(end_at),
	keys gist__int_ops, list_text(search) gist_trgm_ops (siglen = 512));
CREATE INDEX markets_long ON markets (octet_length(search));

ALTER TABLE events ADD COLUMN keys integer[] NOT NULL GENERATED ALWAYS AS (list_keys(tags, category, series, status)) STORED;
CREATE INDEX events_list ON events USING gist (
	list_place(updated_at), list_place(start_at), list_place(end_at),
	keys gist__int_ops, list_text(search) gist_trgm_ops (siglen = 512));
CREATE INDEX events_long ON events (octet_length(search));
