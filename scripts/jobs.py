#!/usr/bin/env python3
"""The price of spreading: 10,000 rounds, and a sweep of 1,000 variants over 1,000
rounds, by one command, by a server that works by itself with its runs in a file, and by
one worker and two behind a server that only answers.

    scripts/jobs.py WORK POSTGRES

WORK holds many.db and sim.db, which scripts/measure.sh --prepare makes; POSTGRES is the
address of a server on which a database may be made, postgres://user@/postgres?host=… .
Every process has one processor (GOMAXPROCS=1), so that a second worker can show what it
brings on a machine of two. Prints, for each way, the time, the processor seconds of the
processes that replay, their ratio to those of the command, and what each process held at
most; the answers are compared byte for byte. TIMES=3 repetitions, of which the fastest
counts; PACKS=folder packs copies of the archives first.
"""
import json, os, re, shutil, subprocess, sys, tempfile, time, urllib.request

STRATEGY = "Buy Up on BTC 15m when Up ask is below 40 cents after 1 minute, take profit at 55c, stop at 20c, $20 per trade, last 10000 markets"
SWEPT = "Buy Up on BTC 15m when Up ask is below 35 cents after 1 minute, take profit at 60c, stop at 10c, $20 per trade, last 1000 markets"
VARY = ["entry.0.threshold=0.30:0.39:0.01", "exit.take_profit=0.50:0.68:0.02", "exit.stop_loss=0.04:0.22:0.02"]

work, postgres = sys.argv[1:]
times = int(os.environ.get("TIMES", "3"))
dir = tempfile.mkdtemp()
binary = os.environ.get("LADDERBACK_BIN")
if not binary:
    binary = dir + "/ladderback"
    subprocess.check_call(["go", "build", "-o", binary, "./cmd/ladderback"])
env = dict(os.environ, GOMAXPROCS="1", LADDERBACK_RUN_WORKERS="1", LADDERBACK_CACHE=dir + "/cache")
database = f"jobs_{os.getpid()}"
access = re.sub(r"/postgres(\?|$)", f"/{database}\\1", postgres)


def psql(sql):
    subprocess.check_call(["psql", "-q", postgres, "-c", sql])


def used(pid):
    """Processor seconds so far, and the most that was resident, in MB."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    held = re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(held) / 1024


class Process:
    def __init__(self, *args):
        self.log = open(f"{dir}/{args[0]}-{time.monotonic_ns()}.log", "w+")
        self.p = subprocess.Popen([binary, *args], env=env, stderr=self.log, stdout=self.log)
        self.until("Working on runs" if args[0] == "worker" else "Serving")

    def until(self, text):
        while text not in open(self.log.name).read():
            if self.p.poll() is not None:
                sys.exit(open(self.log.name).read())
            time.sleep(0.02)

    def stop(self):
        self.p.terminate()
        self.p.wait()


def alone(args):
    began = time.monotonic()
    p = subprocess.Popen([binary, *args, "--quiet", "--json"], env=env, stdout=subprocess.PIPE)
    held = 0
    out = p.stdout.read()
    _, _, usage = os.wait4(p.pid, 0)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(out)


def asked(base, key, path, body):
    def call(method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        r = urllib.request.Request(base + path, data, {"Authorization": "Bearer " + key}, method=method)
        return json.load(urllib.request.urlopen(r)) if method != "DELETE" else urllib.request.urlopen(r).read()
    began = time.monotonic()
    run = call("POST", path, body)
    while True:
        run = call("GET", f"{path}/{run['id']}?wait=60s")
        if run["state"] not in ("queued", "running"):
            break
    took = time.monotonic() - began
    if run["state"] != "done" or run["cached"]:
        sys.exit(f"{run['state']}: {run['error']}, cached {run['cached']}")
    call("DELETE", f"{path}/{run['id']}")
    return took, run["result"]


def packed(path):
    if "PACKS" not in os.environ:
        return path
    copy = f"{dir}/{os.path.basename(path)}"
    shutil.copy(path, copy)
    subprocess.check_call([binary, "archive", "pack", "--quiet", "--archive", copy, "--to", dir + "/packs", "--all"], env=env, stdout=subprocess.DEVNULL)
    return copy


def measure(name, archive, command, path, body):
    archive = packed(archive)
    best, want = min((alone([*command, "--archive", archive]) for _ in range(times)), key=lambda r: r[0]), None
    wall, cpu, held, want = best
    print(f"| {name}, a command | {wall:.1f} s | | {cpu:.1f} s | | {held:.0f} MB |", flush=True)
    for n in (0, 1, 2):
        store, key = (access, shared) if n else (dir + "/keys.db", own)
        server = Process("serve", "--work=" + ("false" if n else "true"), "--archive", archive, "--access", store, "--addr", "127.0.0.1:0", "--metrics-addr", "none")
        base = re.search(r"Serving \S+ on (http://[0-9.:]+)", open(server.log.name).read()).group(1)
        workers = [Process("worker", "--archive", archive, "--access", access, "--metrics-addr", "none") for _ in range(n)]
        busy, rows = workers or [server], []
        for _ in range(times):
            before = [used(w.p.pid)[0] for w in busy]
            took, result = asked(base, key, path, body)
            after = [used(w.p.pid) for w in busy]
            rows.append((took, sum(a[0] for a in after) - sum(before), [a[1] for a in after]))
            if result != want:
                sys.exit(f"{name}, {n} workers: another answer")
        took, spent, most = min(rows)
        most = " and ".join(f"{m:.0f}" for m in rows[-1][2])
        who = f"{n} worker{'s' if n > 1 else ''}" if n else "a server by itself"
        most += f" MB, server {used(server.p.pid)[1]:.0f} MB" if n else " MB"
        print(f"| … {who} | {took:.1f} s | {took / wall:.2f} | {spent:.1f} s | {spent / cpu:.2f} | {most} |", flush=True)
        for p in [*workers, server]:
            p.stop()


psql(f"CREATE DATABASE {database}")
try:
    shared, own = (json.loads(subprocess.check_output([binary, "keys", "create", "--plan", "enterprise", "--name", "jobs", "--access", at, "--json"], env=env))["key"]
                   for at in (access, dir + "/keys.db"))
    print("| | time | ÷ | processor | ÷ | held at most |\n|---|---|---|---|---|---|")
    measure("10,000 rounds", work + "/many.db", ["backtest", STRATEGY], "/v1/ai/backtests", {"prompt": STRATEGY})
    measure("Sweep of 1,000 × 1,000", work + "/sim.db", ["sweep", SWEPT, *(a for v in VARY for a in ("--vary", v))], "/v1/ai/sweeps", {"prompt": SWEPT, "vary": VARY})
finally:
    psql(f"DROP DATABASE {database} WITH (FORCE)")
    shutil.rmtree(dir)
