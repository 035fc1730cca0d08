"""Runs the Python examples of a document, in order, as one program.

Usage: python docs.py FILE; LADDERBACK_URL and LADDERBACK_API_KEY say where.
"""

import os
import re
import sys
import tempfile

path = os.path.abspath(sys.argv[1])
with open(path, encoding="utf-8") as f:
    text = f.read()
# Lines keep their numbers, so that a mistake is told where it stands.
program, inside, blocks = [], False, 0
for line in text.split("\n"):
    fence = re.match(r"```(\w*)$", line)
    if fence:
        inside = not inside and fence[1] == "python"
        blocks += inside
        program.append("")
    else:
        program.append(line if inside else "")
assert blocks, f"{path} has no Python"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    exec(compile("\n".join(program), path, "exec"), {"__name__": "__main__"})
print(f"{os.path.basename(path)}: {blocks} examples")
