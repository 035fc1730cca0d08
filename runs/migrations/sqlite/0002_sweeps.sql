-- +goose Up
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'backtest' CHECK (kind IN ('backtest', 'sweep'));
