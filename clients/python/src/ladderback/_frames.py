"""Frames, whose libraries are read when one is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from io import BytesIO


def _needs(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise errors.Error(f"this needs {name.partition('.')[0]}: pip install 'ladderback[{extra}]'") from None


def arrow(file: BytesIO) -> Any:
    return _needs("pyarrow.parquet", "arrow").read_table(file)


def pandas(file: BytesIO) -> Any:
    _needs("pandas", "pandas")
    return _needs("pyarrow.parquet", "pandas").read_table(file).to_pandas()


def polars(file: BytesIO) -> Any:
    return _needs("polars", "polars").read_parquet(file)


def of_rows(rows: Iterable[Mapping[str, Any]], library: str | None) -> Any:
    """A frame of rows by a library, polars or pandas; None: the one of them that is there."""
    listed = [dict(r) for r in rows]
    for name in (library,) if library else ("polars", "pandas"):
        try:
            module = import_module(str(name))
        except ImportError:
            continue
        return module.DataFrame(listed, infer_schema_length=None) if name == "polars" else module.DataFrame(listed)
    raise errors.Error(f"this needs {library or 'polars or pandas'}: pip install 'ladderback[{library or 'polars'}]'")
