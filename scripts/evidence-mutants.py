#!/usr/bin/env python3
"""Breaks what verdicts rest on, one place at a time, and says which test notices.

    python3 scripts/evidence-mutants.py [NUMBER...]

Works in a copy of the tree, in minutes; fails if a broken version passes. The table is in
docs/internals/verdicts.md.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HOLD = "free := base; free.Options.HoldOut = nil; wider, err := replay.Draw(ctx, whole, free); if err != nil { return nil, err }\n\t\t"

# What is broken, the file, what stands there, what takes its place (every occurrence), the
# package whose tests are to notice, and which of them.
BROKEN = [
    ("walk-forward whose past has rounds that were not over", "replay/sweep/walk.go",
     "&& l.Ends[b.PastEnds] <= begins", "&& (begins > 0 || true)", "replay/sweep", "Walk|Past|Honest|Block"),
    ("resamples that are not centred", "replay/sweep/spa.go",
     "max(most[i], t-center)", "max(most[i], t-0*center)", "replay/sweep", "SPA|Size|StepM|Hansen|Romano|Independent"),
    ("ends of a backtest resampled by trade", "backtest/stats/bootstrap.go",
     "trades[i].Close", "(trades[i].Close + market.Instant(i))", "backtest/stats", "."),
    ("ends of a calibration resampled by price", "backtest/calibration/calibration.go",
     None, None, "backtest/calibration", "."),
    ("neighbours counted as independent", "replay/sweep/spa.go",
     "out.Tries = independent(upper, len(ready))", "out.Tries = float64(len(ready)); _ = independent", "replay/sweep", "Independent|Planted|Tries|Power|Luck"),
    ("the baseline reads the lockbox", "backtest/run.go",
     "results, err := sample.Replay(ctx, src, shift(p, len(sample.Rounds), total), base)",
     HOLD + "results, err := wider.Replay(ctx, whole, shift(p, len(sample.Rounds), total), base)", "backtest", "Lockbox|HeldOut|HoldOut|Tries"),
    ("calibration reads the lockbox", "backtest/calibrate.go",
     "o.HoldOut.Bound(&d.RoundFilter)", "(*replay.HoldOut)(nil).Bound(&d.RoundFilter)", "backtest", "Lockbox|HeldOut|HoldOut|Tries"),
    ("a sweep and its walk-forward read the lockbox", "backtest/sweep.go",
     "c := replay.Case{Strategy: s, Options: o.Options}", "c := replay.Case{Strategy: s, Options: o.Options}; c.Options.HoldOut = nil", "backtest", "Lockbox|HeldOut|HoldOut|Tries"),
    ("the workers of a server read the lockbox", "backtest/parts/plan.go",
     "sample, err := replay.Draw(ctx, src, j.base())", "free := j.base(); free.Options.HoldOut = nil; sample, err := replay.Draw(ctx, src, free)", "runs", "Lockbox"),
    ("a calibration of a server reads the lockbox", "api/calibration.go",
     "if o.HoldOut, err = s.holdOut(r.Context()); err != nil {", "if _, err = s.holdOut(r.Context()); err != nil {", "api", "Lockbox"),
    ("a command counts its try when it is over", "backtest/run.go",
     None, None, "backtest", "Count|Tries|Crash"),
    ("a server does not count a run that crashes", "runs/work.go",
     "parts.Draw(ctx, src, job, d.cfg.MinChunkWork, c.Count)", "parts.Draw(ctx, src, job, d.cfg.MinChunkWork, nil)", "runs", "Tries"),
    ("what is cancelled, or failed, and asked for again counts twice", "tries/tries.go",
     "identity := t.Identity()", "identity := t.Identity() + rand.Text()", "runs", "Tries"),
    ("PBO with blocks that are no stretches of time", "replay/sweep/overfit.go",
     "for _, x := range xs[from:to] {", "for i := b; i < n; i += blocks {\n\t\t\t\tx := xs[i]", "replay/sweep", "Overfit|PBO"),
    ("PBO that ranks in the half it chose in", "replay/sweep/overfit.go",
     "out.add(here, there)", "out.add(here, here)", "replay/sweep", "Overfit|PBO"),
]


def broken(number, text, old, new):
    if number == 4:  # calibration: a cluster for each price
        text = text.replace("for _, o := range all {\n\t\tp, y", "for nth, o := range all {\n\t\tp, y")
        return text.replace("at[o.End]", "at[o.End+market.Instant(nth)]")
    if number == 11:
        count = text[text.index("\ttally, err := count.Counted(ctx, &Looked{Strategy: s, Options: o.Options, Variants: 1"):text.index("\tr, err := run(ctx, src, c, sample, o, p)")]
        text = text.replace(count, "")
        return text.replace("\tr, err := run(ctx, src, c, sample, o, p)\n",
                            "\tr, err := run(ctx, src, c, sample, o, p)\n\tif err != nil {\n\t\treturn nil, Tally{}, err\n\t}\n" + count, 1)
    assert old in text, (number, old)
    text = text.replace(old, new)
    if "rand.Text" in new:
        text = text.replace('\t"crypto/sha256"\n', '\t"crypto/rand"\n\t"crypto/sha256"\n', 1)
    return text


def main():
    tree = pathlib.Path(__file__).resolve().parent.parent
    wanted = [int(n) for n in sys.argv[1:]] or range(1, len(BROKEN) + 1)
    survived = 0
    with tempfile.TemporaryDirectory() as tmp:
        copy = pathlib.Path(tmp) / "tree"
        subprocess.run(["git", "clone", "-q", "--shared", str(tree), str(copy)], check=True)
        for number in wanted:
            what, file, old, new, package, run = BROKEN[number - 1]
            path = copy / file
            kept = path.read_text()
            path.write_text(broken(number, kept, old, new))
            done = subprocess.run(["go", "test", "./" + package, "-run", run, "-failfast", "-count=1"], cwd=copy, capture_output=True, text=True)
            path.write_text(kept)
            said = done.stdout + done.stderr
            names = re.findall(r"^--- FAIL: (\w+)", said, re.M)
            if names:
                print(f"{number:2} | {what} | {package} {', '.join(sorted(set(names)))}", flush=True)
            else:
                survived += 1
                print(f"{number:2} | {what} | SURVIVES\n{said[-1500:]}", flush=True)
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
