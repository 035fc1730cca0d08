"""What the client adds, in processor time: 200 books of 50 levels against json.loads, in turns
and the least of each, and the import.

Usage: PYTHONPATH=src python tools/costs.py
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable

from ladderback import _core

levels = [[0.35, 1200.5]] * 25
point = {"t": "2026-04-01T00:00:00.25Z", "bids": levels, "asks": levels}
text = json.dumps({"token_id": "t", "token_label": "Up", "data": [point] * 200}).encode()


def cost(f: Callable[[], object]) -> float:
    began = time.process_time()
    f()
    return time.process_time() - began


plain, ours = [], []
for _ in range(50):
    plain.append(cost(lambda: json.loads(text)))
    ours.append(cost(lambda: list(_core.rows("books", json.loads(text)))))
print(f"200 books: {min(ours) / min(plain):.2f} times json.loads")

script = (
    "import time; t = time.process_time(); import ladderback; ladderback.__version__; print(time.process_time() - t)"
)
took = [float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout) for _ in range(9)]
print(f"import: {min(took) * 1000:.0f} ms")
