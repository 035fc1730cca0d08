"""What a client raises. None of it names the key."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Error(Exception):
    """Everything that this package raises of its own."""


class ConnectionFault(Error):
    """No answer, or one that was cut: it may help to ask again."""


class RunFailed(Error):
    """A run of the server ended without a result; run has what the server says of it."""

    def __init__(self, run: Mapping[str, Any]) -> None:
        super().__init__(f"run {run['id']} is {run['state']}" + (f": {run['error']}" if run.get("error") else ""))
        self.run = run


class ServerError(Error):
    """An answer of the server that is not what was asked for.

    code is for machines and empty where parameters are invalid or no server of ours
    answered; request_id finds the request in the server's log; retry_after is how many
    seconds the server asks to wait, 0 where it does not say.
    """

    def __init__(self, status: int, body: Mapping[str, Any], request_id: str = "", retry_after: float = 0) -> None:
        self.status = status
        self.code = str(body.get("error", ""))
        self.message = str(body.get("message", ""))
        self.request_id = request_id
        self.retry_after = retry_after
        self.body = body
        super().__init__(f"{self.code}: {self.message}" if self.code else self.message)


class NotFound(ServerError):
    """What was asked for does not exist."""


class NoSuchRoute(NotFound):
    """The server has no such route: it is older than this client."""


class Unauthorized(ServerError):
    """The key is missing, invalid or revoked, or its plan does not allow this."""


class RateLimited(ServerError):
    """A limit of the key is used up; retry_after says for how long."""


class Unavailable(ServerError):
    """The server cannot answer at the moment."""


class Invalid(ServerError):
    """Parameters that the server does not take; detail has them all."""

    @property
    def detail(self) -> list[dict[str, Any]]:
        """Where each stands (loc), and what is wrong with it (msg)."""
        return list(self.body.get("detail", []))


class Refused(ServerError):
    """A prompt that cannot be read as a strategy.

    at has the phrases that it is about, each with start and end in code points, its text
    and a message; suggestion is a whole prompt that can be read (empty: none is known);
    confirm is how the prompt can nearly be read, choices are its readings where it has
    several.
    """

    prompt: str = ""

    @property
    def at(self) -> list[dict[str, Any]]:
        return list(self.body.get("at", []))

    @property
    def suggestion(self) -> str:
        return str(self.body.get("suggestion", ""))

    @property
    def confirm(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.body.get("confirm")
        return found

    @property
    def choices(self) -> list[dict[str, Any]]:
        return list(self.body.get("choices", []))

    def __str__(self) -> str:
        """The prompt with its phrases underlined, what is wrong with each, and the rewrite.

        >>> print(Refused.of("Buy 45% Up", {"error": "bad_request", "message": "m",
        ...     "at": [{"start": 4, "end": 7, "text": "45%", "message": "a percentage"}], "suggestion": "Buy Up"}))
        Buy 45% Up
            ^^^
        45%: a percentage
        Try: Buy Up
        """
        if not self.at:
            return super().__str__()
        lines = []
        if self.prompt and "\n" not in self.prompt:
            marks = [" "] * len(self.prompt)
            for one in self.at:
                marks[one["start"] : one["end"]] = "^" * (one["end"] - one["start"])
            lines += [self.prompt, "".join(marks).rstrip()]
        for one in self.at:
            said = one.get("message") or self.message
            quoted = f'"{one["text"]}": '
            lines.append(f"{one['text']}: {said.removeprefix(quoted)}")
        if self.suggestion:
            lines.append("Try: " + self.suggestion)
        for number, one in enumerate(self.choices, 1):
            lines.append(f"Reading {number}: {one['summary']}")
        if self.confirm:
            lines.append("Nearly: " + self.confirm["summary"])
        return "\n".join(lines)

    @classmethod
    def of(cls, prompt: str, body: Mapping[str, Any]) -> Refused:
        """The refusal of a prompt."""
        e = cls(400, body)
        e.prompt = prompt
        return e

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


_BY_STATUS = {401: Unauthorized, 403: Unauthorized, 404: NotFound, 422: Invalid, 429: RateLimited, 503: Unavailable}


def of_answer(status: int, body: object, host: str, request_id: str, retry_after: float, prompt: str) -> ServerError:
    """The exception for an answer; body is its JSON, or None where it has none."""
    if not isinstance(body, dict) or not ("error" in body or "message" in body):
        # Not ours: a proxy's page, say. Its words are not for people.
        words = f"the server at {host} answered {status} without saying why in JSON"
        return ServerError(status, {"message": words}, request_id, retry_after)
    kind = _BY_STATUS.get(status, ServerError)
    if status == 404 and str(body.get("message", "")).startswith("no such route"):
        words = f"{body['message']}: the server is older than this client, or it is not a Ladderback server"
        return NoSuchRoute(status, {**body, "message": words}, request_id, retry_after)
    if status == 400 and (body.get("at") or body.get("choices") or body.get("error") == "unsupported_signal"):
        kind = Refused
    e = kind(status, body, request_id, retry_after)
    if isinstance(e, Refused):
        e.prompt = prompt
    return e
