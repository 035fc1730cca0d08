"""Run by `python3 -m unittest captures_test`; needs Python's standard library alone."""

import json
import unittest

import captures
from captures import Arrays, Book, Market

MARKET = Market("m", 100_000_000, 400_000_000, True, "1", "2")


def line(recv, token, stamp, bids, asks, kind="book"):
    def side(levels):
        return [{"price": p, "size": s} for p, s in levels]

    message = {"event_type": kind, "asset_id": token, "timestamp": stamp, "bids": side(bids), "asks": side(asks)}
    return '{"recv":%s,"slug":"m","msg":%s}' % (recv, json.dumps(message))


class Captures(unittest.TestCase):
    def books(self, *lines):
        return list(captures.read_books(MARKET, lines))

    def test_up_book_best_first_in_exact_units(self):
        got = self.books(line("100.000001", "1", "5", [("0.1", "2"), ("0.29", "1.25")], [("0.9", "1"), ("0.311", "7.000001")]))
        self.assertEqual(
            got,
            [Book(100_000_001, [(2900, 1_250_000), (1000, 2_000_000)], [(3110, 7_000_001), (9000, 1_000_000)])],
        )

    def test_down_book_is_mirrored(self):
        got = self.books(line("101.5", "2", "5", [("0.01", "4"), ("0.6", "3")], [("0.62", "5"), ("0.99", "6")]))
        self.assertEqual(
            got,
            [Book(101_500_000, [(3800, 5_000_000), (100, 6_000_000)], [(4000, 3_000_000), (9900, 4_000_000)])],
        )

    def test_last_before_the_start_seeds_and_the_end_ends(self):
        got = self.books(
            line("1.0", "1", "1", [("0.1", "1")], []),
            line("99.999999", "1", "2", [("0.2", "1")], []),
            line("100.0", "1", "3", [("0.3", "1")], []),
            line("399.999999", "1", "4", [("0.4", "1")], []),
            line("400.0", "1", "5", [("0.5", "1")], []),
        )
        self.assertEqual([(b.recv, b.bids[0][0]) for b in got], [(99_999_999, 2000), (100_000_000, 3000), (399_999_999, 4000)])

    def test_a_seed_alone_is_kept(self):
        self.assertEqual([b.recv for b in self.books(line("9.0", "1", "1", [], []))], [9_000_000])

    def test_of_one_exchange_time_the_first_token_counts(self):
        got = self.books(
            line("110.0", "2", "7", [("0.6", "1")], []),
            line("110.1", "1", "7", [], [("0.4", "1")]),
            line("110.2", "1", "8", [], [("0.45", "1")]),
            line("110.3", "1", "9", [], [("0.45", "1")], kind="price_change"),
        )
        self.assertEqual([b.recv for b in got], [110_000_000, 110_200_000])

    def test_levels_without_size_are_none(self):
        self.assertEqual(self.books(line("110.0", "1", "7", [("0.6", "0")], []))[0].bids, [])

    def test_changes(self):
        self.assertEqual(sorted(captures.changes([(10, 1), (9, 2), (8, 3)], [(9, 2), (8, 4), (7, 5)])), [(7, 5), (8, 4), (10, 0)])

    def test_arrays(self):
        a = Arrays()
        deep = [(5000 - i, i + 1) for i in range(captures.DEPTH + 2)]
        a.add_market([Book(1, deep, [(6000, 1)]), Book(2, deep, [])])
        a.add_market([Book(3, [], [(7000, 2)])])
        self.assertEqual(list(a.first), [0, 2, 3])
        self.assertEqual(list(a.recv), [1, 2, 3])
        self.assertEqual(list(a.bid_price[: captures.DEPTH]), [5000 - i for i in range(captures.DEPTH)])
        self.assertEqual(list(a.ask_size[captures.DEPTH :][: captures.DEPTH]), [0] * captures.DEPTH)
        self.assertEqual((a.ask_price[2 * captures.DEPTH], a.ask_size[2 * captures.DEPTH]), (7000, 2))
        self.assertEqual(a.changes, len(deep) + 1 + 1 + 1)


if __name__ == "__main__":
    unittest.main()
