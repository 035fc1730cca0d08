-- +goose Up
ALTER TABLE runs ADD COLUMN kind text NOT NULL DEFAULT 'backtest' CHECK (kind IN ('backtest', 'sweep'));
