"""Puts the program into a wheel, where $LADDERBACK_WHEEL names it and the platform it is for:
/path/of/ladderback=manylinux2014_x86_64. Without it the wheel is of the client alone."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Program(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        program, _, platform = os.environ.get("LADDERBACK_WHEEL", "").partition("=")
        if not program:
            return
        if not platform or not os.path.isfile(program):
            raise ValueError(f"LADDERBACK_WHEEL: {program}={platform}: expected FILE=PLATFORM, of a file that exists")
        name = "ladderback.exe" if platform.startswith("win") else "ladderback"
        build_data["shared_scripts"] = {program: name}
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
