-- +goose Up
ALTER TABLE runs ADD COLUMN attended INTEGER NOT NULL DEFAULT 0; -- 1: a client holds a connection for the answer, and nothing is kept
