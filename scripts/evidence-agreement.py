#!/usr/bin/env python3
"""Holds what the tests of verdicts compute against arch, scipy, statsmodels and NumPy.

    python3 scripts/evidence-agreement.py

Makes an environment of its own with arch, scipy and statsmodels, in a minute, and fails where
something is further off than stated. The table is in docs/internals/verdicts.md.
"""

import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPS = 20_000  # of arch and NumPy
OURS = 5_000  # sweep.Resamples


def noise(p):
    """Four standard deviations of the difference of a p-value of both, and the one resample that ours counts more."""
    p = min(max(p, 1 / OURS), 1 - 1 / OURS)
    return 4 * math.sqrt(p * (1 - p) * (1 / REPS + 1 / OURS)) + 1 / OURS


def main():
    import numpy as np
    from arch.bootstrap import SPA, StepM
    from scipy import stats
    from statsmodels.stats.moment_helpers import mc2mvsk

    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "said.json")
        subprocess.run(["go", "test", "./replay/sweep", "-count=1", "-run", "TestAgreement", "-args", "-agreement", file], cwd=ROOT, check=True)
        tables = json.loads(pathlib.Path(file).read_text())

    worst = {}  # by what is compared: difference, how far it may be

    def hold(name, ours, theirs, at_most):
        off = abs(ours - theirs)
        before = worst.get(name, (0, at_most, 0))
        ratio = off / at_most
        worst[name] = (max(off, before[0]), at_most, max(ratio, before[2]))

    survivors = 0
    for table in tables:
        x = np.array(table["cases"], dtype=float)
        k, n = x.shape
        for i in range(k):
            mean, sd, skew, kurtosis = table["moments"][i]
            hold("mean and deviation, relative", mean, x[i].mean(), 1e-12 * abs(sd))
            hold("mean and deviation, relative", sd, x[i].std(ddof=1), 1e-12 * sd)
            hold("skewness", skew, stats.skew(x[i]), 1e-10)
            hold("kurtosis", kurtosis, stats.kurtosis(x[i], fisher=False), 1e-10)
            central = [x[i].mean()] + [((x[i] - x[i].mean()) ** j).mean() for j in (2, 3, 4)]
            _, _, s, excess = mc2mvsk(central)
            hold("skewness", skew, s, 1e-10)
            hold("kurtosis", kurtosis, excess + 3, 1e-10)
            ratio = x[i].mean() / x[i].std(ddof=1)
            spread = math.sqrt((1 - skew * ratio + (kurtosis - 1) / 4 * ratio**2) / (n - 1))
            hold("probabilistic Sharpe ratio", table["probability"][i], stats.norm.sf(0.01, ratio, spread), 1e-10)
        for trials, at in table["maximum"].items():
            # By Gumbel's quantile function: the mean of the two quantiles that γ weighs.
            a, b = stats.norm.isf(1 / float(trials)), stats.norm.isf(1 / float(trials) / math.e)
            hold("expected maximum", at, max(0, a + np.euler_gamma * (b - a)), 1e-10)

        # arch does not divide the statistic by the deviation: it is given what is divided already.
        z = x / x.std(axis=1, keepdims=True)
        spa = table["spa"]
        t = math.sqrt(n) * z.mean(axis=1)
        hold("statistic of the SPA test", spa["Statistic"], max(0, t.max()), 1e-10)
        theirs = SPA(np.zeros(n), -z.T, block_size=1, reps=REPS, bootstrap="circular", seed=7)
        theirs.compute()
        p = theirs.pvalues
        for ours, name in ((spa["P"], "consistent"), (spa["Lower"], "lower"), (spa["Upper"], "upper")):
            hold(f"SPA, p {name}", ours, p[name], noise(p[name]))
        high = math.sqrt(n) * theirs.critical_values(0.05)["upper"]
        hold("SPA, 95% quantile of the maximum", spa["High"], high, 0.1)

        # StepM by its definition: the largest of what remains, every mean moved to 0.
        draws = np.random.default_rng(5).multinomial(n, [1 / n] * n, size=REPS) / n
        moved = math.sqrt(n) * (draws @ z.T - z.mean(axis=1))
        order = np.argsort(-t, kind="stable")
        at = 0.0
        for place, i in enumerate(order):
            at = max(at, (moved[:, order[place:]].max(axis=1) >= t[i]).mean())
            hold("StepM, adjusted p of each case", spa["Adjusted"][i], at, noise(at))
        step = StepM(np.zeros(n), -z.T, block_size=1, reps=REPS, bootstrap="circular", size=0.05, seed=7)
        step.compute()
        found = {i for i in range(k) if spa["Adjusted"][i] <= 0.05}
        near = {i for i in range(k) if abs(spa["Adjusted"][i] - 0.05) <= noise(0.05)}
        survivors += len(found)
        hold("StepM, cases that survive in one alone", len((found ^ set(map(int, step.superior_models))) - near), 0, 0.5)

        # Every half of 10 blocks, as printed in the paper: logits of relative ranks.
        blocks = [x[:, b * n // 10:(b + 1) * n // 10] for b in range(10)]
        below = lost = splits = 0
        for half in itertools.combinations(range(10), 5):
            a = np.hstack([blocks[b] for b in half])
            b = np.hstack([blocks[b] for b in range(10) if b not in half])
            ratio = [m.mean(axis=1) / m.std(axis=1, ddof=1) for m in (a, b)]
            best = ratio[0].argmax()
            rank = stats.rankdata(ratio[1])[best] / (k + 1)
            below += math.log(rank / (1 - rank)) <= 1e-12
            lost += ratio[1][best] < 0
            splits += 1
        hold("probability of overfitting", table["overfit"], below / splits, 1e-6)
        hold("probability of loss when chosen", table["loss"], lost / splits, 1e-6)

    # Bailey and López de Prado, 2012: a ratio of 2 a year against 1, of normal returns, and of
    # monthly ones with the skewness and kurtosis of hedge funds. Without the formula of the
    # record: the one at which the probability of a ratio above 1 is 95 %, found by bisection.
    for periods, skew, kurtosis, published in ((252, 0, 3, 2.73), (52, 0, 3, 2.83), (12, 0, 3, 3.24), (12, -0.72, 5.78, 4.99)):
        ratio, under = 2 / math.sqrt(periods), 1 / math.sqrt(periods)
        low, high = 2.0, 1e6
        while high - low > 1e-9:
            count = (low + high) / 2
            error = math.sqrt((1 - skew * ratio + (kurtosis - 1) / 4 * ratio**2) / (count - 1))
            low, high = (count, high) if stats.norm.cdf((ratio - under) / error) < 0.95 else (low, count)
        hold("minimum track record, years, as published", published, low / periods, 0.005)

    print(f"{len(tables)} tables, {survivors} survivors; arch {version('arch')}, scipy {version('scipy')}, statsmodels {version('statsmodels')}, numpy {version('numpy')}\n")
    for name, (off, _, ratio) in worst.items():
        print(f"{'ok ' if ratio <= 1 else 'OFF'} {name}: at most {off:.2g} off, {ratio:.2f} of what is allowed")
    sys.exit(any(ratio > 1 for _, _, ratio in worst.values()))


def version(package):
    from importlib.metadata import version

    return version(package)


if __name__ == "__main__":
    if "--here" in sys.argv:
        main()
    with tempfile.TemporaryDirectory() as env:
        subprocess.run([sys.executable, "-m", "venv", env], check=True)
        subprocess.run([env + "/bin/pip", "install", "-q", "arch==8.0.0", "scipy==1.17.1", "statsmodels==0.15.0"], check=True)
        sys.exit(subprocess.run([env + "/bin/python", __file__, "--here"]).returncode)
