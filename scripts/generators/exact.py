"""JSON values, to be compared."""

from datetime import datetime


def read(value, nulls=True):
    """A JSON value with its times read, as two ways to write one are the same; without nulls
    a field that is null is one that is left out, for clients that know no difference."""
    match value:
        case dict():
            return {k: read(v, nulls) for k, v in value.items() if nulls or v is not None}
        case list():
            return [read(v, nulls) for v in value]
        case str():
            try:
                return datetime.fromisoformat(value) if "T" in value else value
            except ValueError:
                return value
    return value
