"""What clients return beyond what the server says: readings and reports that show
themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from . import _frames
from ._core import instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from . import types as t


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cells = "".join(f"<th style='text-align:left'>{escape(h)}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(str(v))}</td>" for v in r) + "</tr>" for r in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def underlined(prompt: str, spans: Iterable[Mapping[str, Any]]) -> str:
    """A prompt whose parts are underlined, each with what it set as its title.

    >>> underlined("Buy Up", [{"start": 0, "end": 6, "text": "Buy Up", "field": "side"}])
    "<u title='side'>Buy Up</u>"
    """
    out, at = "", 0
    for s in sorted(spans, key=lambda s: int(s["start"])):
        if s["start"] < at:
            continue
        out += escape(prompt[at : s["start"]])
        out += f"<u title='{escape(s.get('field', ''), quote=True)}'>{escape(prompt[s['start'] : s['end']])}</u>"
        at = s["end"]
    return out + escape(prompt[at:])


class Reading:
    """How a prompt was understood."""

    def __init__(self, raw: t.Parsed) -> None:
        self.raw = raw

    @property
    def strategy(self) -> t.Strategy:
        """The strategy, which backtest takes in place of the prompt."""
        return self.raw["strategy"]

    @property
    def summary(self) -> str:
        return self.raw["parse"]["summary"]

    @property
    def assumptions(self) -> list[t.Assumption]:
        """What the prompt does not say, and why it was taken so."""
        return self.raw["parse"]["assumptions"]

    @property
    def spans(self) -> list[t.Span]:
        """The parts of the prompt, and the field that each set."""
        return self.raw["parse"]["spans"]

    @property
    def ignored(self) -> list[str]:
        """The parts of the prompt that set nothing."""
        return [one["text"] for one in self.raw["parse"]["ignored"]]

    def __repr__(self) -> str:
        return f"<Reading: {self.summary}>"

    def _repr_html_(self) -> str:
        html = f"<p>{underlined(self.raw['prompt'], self.spans)}</p><p>{escape(self.summary)}</p>"
        if self.assumptions:
            html += _table(("Assumed", "Value", "Why"), [(a["field"], a["value"], a["why"]) for a in self.assumptions])
        differences = self.raw["parse"].get("differences", [])
        if differences:
            html += _table(
                ("Read in two ways", "Model", "Rules"), [(d["field"], d["llm"], d["rules"]) for d in differences]
            )
        if self.ignored:
            html += "<p>Left out: " + escape("; ".join(self.ignored)) + "</p>"
        return html


class ReportBase:
    """What is known of a backtest without asking the server again."""

    def __init__(self, body: t.Backtest, run: t.RunWithResult | None) -> None:
        self.body, self.run = body, run

    @property
    def id(self) -> str | None:
        """The kept run; None: it is not kept."""
        return self.run["id"] if self.run else None

    @property
    def report(self) -> t.Report:
        """All numbers."""
        return self.body["report"]

    @property
    def strategy(self) -> t.Strategy:
        return self.body["strategy"]

    @property
    def receipt(self) -> t.Receipt:
        """Hashes of the strategy, the options, the data and the report."""
        return self.report["receipt"]

    @property
    def verdict(self) -> str:
        """not_enough_evidence, positive, negative or no_edge."""
        return self.report["stats"]["verdict"]

    @property
    def words(self) -> t.ReportWords | None:
        """The report in sentences; None: the run is not kept."""
        return self.run.get("words") if self.run else None

    @property
    def warnings(self) -> list[str]:
        return [w["message"] for w in self.report["warnings"]]

    def trade_rows(self) -> list[dict[str, Any]]:
        """The trades with their times read, without their legs."""
        rows = []
        for n, trade in enumerate(self.report["trades"], 1):
            row = {"number": n, **{k: v for k, v in trade.items() if k not in ("legs", "opposite")}}
            row["entry_time"], row["exit_time"] = instant(trade["entry_time"]), instant(trade["exit_time"])
            rows.append(row)
        return rows

    def equity_rows(self) -> list[dict[str, Any]]:
        trades = zip(self.report["trades"], self.report["equity_curve"], strict=True)
        return [{"t": instant(trade["exit_time"]), "pnl": pnl} for trade, pnl in trades]

    @property
    def trades(self) -> Any:
        """The trades as a frame: of polars, or of pandas where that alone is installed."""
        return _frames.of_rows(self.trade_rows(), None)

    @property
    def equity(self) -> Any:
        """Cumulative pnl after each trade, as a frame."""
        return _frames.of_rows(self.equity_rows(), None)

    def to_pandas(self) -> Any:
        """The trades as a frame of pandas."""
        return _frames.of_rows(self.trade_rows(), "pandas")

    def to_polars(self) -> Any:
        """The trades as a frame of polars."""
        return _frames.of_rows(self.trade_rows(), "polars")

    def __repr__(self) -> str:
        said = self.words["headline"] if self.words else f"total pnl {self.report['total_pnl']} USD"
        return f"<Report {self.id or 'not kept'}: {self.verdict}; {said}>"

    def _repr_html_(self) -> str:
        words = self.words
        if words is None:
            rows = [(k, v) for k, v in self.report["stats"].items() if not isinstance(v, list)]
            return f"<h3>{escape(self.verdict)}</h3>" + _table(("", ""), rows)
        html = f"<h3>{escape(words['verdict'])}</h3><p>{escape(words['headline'])}</p><p>{escape(words['why'])}</p>"
        html += "".join(f"<p>{escape(line)}</p>" for line in words.get("nothing", []))
        if self.run and self.run["summary"]:
            html += f"<p><i>{escape(self.run['summary'])}</i></p>"
        if words["tiles"]:
            html += _table(
                [tile["name"] for tile in words["tiles"]],
                [[tile["value"] for tile in words["tiles"]], [tile["note"] for tile in words["tiles"]]],
            )
        if words.get("baseline"):
            html += f"<p>{escape(words['baseline'])}</p>"
        html += _table(("Markets", "", ""), [(s["name"], s["n"], s["words"]) for s in words["funnel"]])
        for one in words["warnings"]:
            html += f"<p>⚠ <b>{escape(one['head'])}</b> {escape(one['text'])}</p>"
        return html


class Explanation:
    """Why a trade was made as it was."""

    def __init__(self, raw: t.Explanation) -> None:
        self.raw = raw

    @property
    def trade(self) -> t.Trade:
        return self.raw["trade"]

    def _conditions(self) -> list[tuple[Any, ...]]:
        out = []
        for view in self.raw["conditions"]:
            c = view["condition"]
            out.append((c["type"], c["token"] or "", c["comparator"], c["threshold"], view["value"], view["holds"]))
        return out

    def _orders(self) -> list[tuple[Any, ...]]:
        return [
            (o["action"], o["arrival"], o["shares"], o["average"], o["cash"], o["fee"], o.get("refused", ""))
            for o in self.raw["orders"]
        ]

    def __repr__(self) -> str:
        x = self.raw
        return f"<Trade {x['number']} of {x['of']}: {x['trade']['market_slug']}, pnl {x['trade']['pnl']}>"

    def _repr_html_(self) -> str:
        x, trade = self.raw, self.raw["trade"]
        html = (
            f"<h3>Trade {x['number']} of {x['of']}: {escape(trade['token_label'])} "
            f"of {escape(trade['market_slug'])}</h3>"
            f"<p>In at {trade['entry_price']} ({escape(trade['entry_time'])}), out at {trade['exit_price']} by "
            f"{escape(trade['exit_reason'].replace('_', ' '))} ({escape(trade['exit_time'])}): pnl {trade['pnl']}</p>"
        )
        html += _table(("Condition", "Token", "", "Threshold", "Value at the signal", "Holds"), self._conditions())
        return html + _table(("Order", "Arrival", "Shares", "Average", "Cash", "Fee", "Refused"), self._orders())


class Comparison:
    """What differs between two backtests, A and B."""

    def __init__(self, raw: t.Comparison) -> None:
        self.raw = raw

    @property
    def same(self) -> bool:
        return self.raw["same"]

    @property
    def answer(self) -> str:
        """Whether B is better than A, in words."""
        return self.raw["words"]["answer"]

    def __repr__(self) -> str:
        return f"<Comparison: {self.answer}>"

    def _repr_html_(self) -> str:
        words = self.raw["words"]
        html = f"<h3>{escape(words['answer'])}</h3><p>{escape(words['why'])}</p>"
        return html + _table(("", "A", "B", "Difference"), words["numbers"])
