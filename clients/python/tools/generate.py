"""Makes what is made of other files: _sync.py of _async.py, types.py of the OpenAPI document.

    python tools/generate.py [--check]

--check writes nothing and fails where a file is not what it would be. types.py needs
datamodel-code-generator.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "ladderback"
DOCUMENT = ROOT.parent.parent / "api" / "openapi.json"

WORDS = (
    (r"import asyncio\n", "import time\n"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"async (def|for|with) ", r"\1 "),
    (r" async for ", " for "),
    (r"await ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"__a(enter|exit|iter)__", r"__\1__"),
    (r"\ba(close|read|iter_bytes|iter_lines)\(", r"\1("),
    (r"def aclose", "def close"),
    (
        r'"""The client, with async and await\. .*"""',
        '"""The client. Made of _async.py by tools/generate.py: edit that."""',
    ),
)


def sync() -> str:
    """The module without async and await."""
    text = (PACKAGE / "_async.py").read_text(encoding="utf-8")
    for pattern, to in WORDS:
        text = re.sub(pattern, to, text)
    lines = text.split("\n")  # imports stay in order
    time = lines.index("import time")
    lines.insert(lines.index("import uuid"), lines.pop(time))
    return "\n".join(lines)


def types() -> str:
    """The types of requests and answers."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "types.py"
        options = (
            "--input-file-type openapi --output-model-type typing.TypedDict --target-python-version 3.10 "
            "--use-union-operator --use-standard-collections --disable-timestamp --no-use-closed-typed-dict "
            "--use-schema-description --formatters black isort"
        )
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(DOCUMENT), "--output", str(out)]
        subprocess.run([*command, *options.split()], check=True)
        text = out.read_text(encoding="utf-8")
    head = '"""Requests and answers. Made of the OpenAPI document by tools/generate.py."""\n\n'
    text = head + text[text.index("from __future__") :]
    line = "from typing_extensions import NotRequired\n"
    either = f"if sys.version_info >= (3, 11):\n    from typing import NotRequired\nelse:\n    {line}"
    return text.replace(line, either).replace("from typing import Any", "import sys\nfrom typing import Any", 1)


def main() -> None:
    stale = []
    for name, make in (("_sync.py", sync), ("types.py", types)):
        path, text = PACKAGE / name, make()
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.exit(f"not what tools/generate.py makes: {', '.join(stale)}")


if __name__ == "__main__":
    main()
