"""Client of Ladderback: history of prediction markets, and backtests in plain English.

>>> import ladderback
>>> client = ladderback.Client("http://127.0.0.1:8080", "lb_…")
>>> client
<ladderback.Client of http://127.0.0.1:8080>
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ._async import AsyncClient as AsyncClient
    from ._local import LocalClient as LocalClient
    from ._local import local as local
    from ._sync import Client as Client
    from .errors import (
        ConnectionFault as ConnectionFault,
    )
    from .errors import (
        Error as Error,
    )
    from .errors import (
        Invalid as Invalid,
    )
    from .errors import (
        NoSuchRoute as NoSuchRoute,
    )
    from .errors import (
        NotFound as NotFound,
    )
    from .errors import (
        RateLimited as RateLimited,
    )
    from .errors import (
        Refused as Refused,
    )
    from .errors import (
        RunFailed as RunFailed,
    )
    from .errors import (
        ServerError as ServerError,
    )
    from .errors import (
        Unauthorized as Unauthorized,
    )
    from .errors import (
        Unavailable as Unavailable,
    )

# Names by the module that has them: a module is read when one of its names is asked for,
# which keeps the import of the package itself short.
_MODULES = {
    "_async": ("AsyncClient",),
    "_sync": ("Client",),
    "_local": ("LocalClient", "local"),
    "errors": (
        "ConnectionFault",
        "Error",
        "Invalid",
        "NoSuchRoute",
        "NotFound",
        "RateLimited",
        "Refused",
        "RunFailed",
        "ServerError",
        "Unauthorized",
        "Unavailable",
    ),
}

__all__ = ["__version__", *sorted(name for names in _MODULES.values() for name in names)]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module("." + module, __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
