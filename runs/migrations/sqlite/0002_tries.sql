ALTER TABLE runs ADD COLUMN look INTEGER NOT NULL DEFAULT 0;     -- the how manieth try of its rounds it is, counts from 1; 0: not counted
ALTER TABLE runs ADD COLUMN earlier INTEGER NOT NULL DEFAULT 0;  -- independent tries before it, millionths
ALTER TABLE runs ADD COLUMN try TEXT NOT NULL DEFAULT '';        -- identity of the try; empty: not counted
