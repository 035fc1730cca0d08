package oracle_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// scenario is a small tape and what must come of it, worked out by hand from the
// rules. Messages take one second; there are no fees and no staleness.
type scenario struct {
	name   string
	market string // what the market's line has beside its slug and winner
	tape   string
	object string // fields beside a plain entry at the open
	// want is the legs and refusals under all three rules, or under each.
	want                 string
	through, back, front string
}

const (
	quiet = "-1 up book 0.40x100 0.39x50 | 0.42x100 0.43x100\n"
	// seed has a trade, so that nothing is read out of sizes that fall.
	seed = quiet + "-0.5 up trade 0.50x1\n"
)

const bid40 = `"order":{"rest_at":0.40},"size":{"shares":10}`

// scenarios of one round. A leg reads: second, order, action, shares @ average price,
// and "resting" where it rested; of Down where it says so.
var scenarios = []scenario{
	{
		name: "a trade at the limit wears the queue off", tape: seed + "5 up trade 0.40x104", object: bid40,
		through: "", back: "5 entry buy 4@0.4 resting", front: "5 entry buy 10@0.4 resting",
	},
	{
		name: "the queue is worn off over several trades", tape: seed + "5 up trade 0.40x60\n6 up trade 0.40x39\n7 up trade 0.40x3\n8 up trade 0.40x5", object: bid40,
		through: "", back: "7 entry buy 2@0.4 resting; 8 entry buy 5@0.4 resting", front: "5 entry buy 10@0.4 resting",
	},
	{
		name: "a trade below must have met us, and leaves no queue", tape: seed + "5 up trade 0.39x4\n6 up trade 0.40x3", object: bid40,
		through: "5 entry buy 4@0.4 resting", back: "5 entry buy 4@0.4 resting; 6 entry buy 3@0.4 resting", front: "5 entry buy 4@0.4 resting; 6 entry buy 3@0.4 resting",
	},
	{
		name: "below and at in one instant: the queue still stands", tape: seed + "5 up trade 0.39x4\n5 up trade 0.40x101", object: bid40,
		through: "5 entry buy 4@0.4 resting", back: "5 entry buy 5@0.4 resting", front: "5 entry buy 10@0.4 resting",
	},
	{
		name: "an offer at the limit met us", tape: seed + "5 up book 0.38x10 | 0.40x6", object: bid40,
		want: "5 entry buy 6@0.4 resting",
	},
	{
		name: "a better offer met us at our limit", tape: seed + "5 up book 0.30x10 | 0.35x6 0.36x1", object: bid40,
		want: "5 entry buy 7@0.4 resting",
	},
	{
		name: "a crossed capture offers nothing", tape: seed + "5 up book 0.41x10 | 0.40x6", object: bid40,
	},
	{
		name: "an offer is taken once", tape: seed + "5 up book 0.38x10 | 0.40x6\n6 up book 0.38x10 | 0.40x6\n7 up book 0.38x10 | 0.40x8", object: bid40,
		want: "5 entry buy 6@0.4 resting; 7 entry buy 2@0.4 resting",
	},
	{
		name: "an offer that went and came is another", tape: seed + "5 up book 0.38x10 | 0.40x6\n6 up book 0.38x10 | 0.42x6\n7 up book 0.38x10 | 0.40x6", object: bid40,
		want: "5 entry buy 6@0.4 resting; 7 entry buy 4@0.4 resting",
	},
	{
		name: "trades at a price where we took are owed", tape: seed + "5 up book 0.38x10 | 0.39x6\n6 up trade 0.39x8", object: bid40,
		want: "5 entry buy 6@0.4 resting; 6 entry buy 2@0.4 resting",
	},
	{
		name: "what was owed and traded is owed no more", tape: seed + "5 up book 0.38x10 | 0.39x6\n6 up trade 0.39x6\n7 up trade 0.39x3", object: bid40,
		want: "5 entry buy 6@0.4 resting; 7 entry buy 3@0.4 resting",
	},
	{
		name: "an owed trade below leaves the queue", tape: seed + "5 up book 0.40x30 0.38x10 | 0.42x6\n6 up trade 0.40x20", object: bid40,
		through: "", back: "", front: "6 entry buy 10@0.4 resting",
	},
	{
		name: "the capture of the arrival does not fill", tape: seed + "1 up trade 0.39x10\n2 up trade 0.39x3", object: bid40,
		want: "2 entry buy 3@0.4 resting",
	},
	{
		name: "the queue is that of the arrival", tape: seed + "1 up book 0.40x5 | 0.42x100\n2 up trade 0.40x7", object: bid40,
		through: "", back: "2 entry buy 2@0.4 resting", front: "2 entry buy 7@0.4 resting",
	},
	{
		name: "a plain limit takes what is there and rests", tape: seed + "1 up book 0.38x5 | 0.39x4 0.40x2 0.41x5\n2 up trade 0.39x9", object: bid40,
		// 4 of what traded at 0.39 were others' who had what we took
		want: "1 entry buy 6@0.393333; 2 entry buy 4@0.4 resting",
	},
	{
		name: "post only is refused where it would meet the other side", tape: seed + "1 up book 0.38x5 | 0.40x2", object: `"order":{"rest_at":0.40,"post_only":true},"size":{"shares":10},"entry":[{"type":"time_elapsed","token":null,"comparator":"lt","threshold":1,"within_seconds":null}]`,
		want: "would_cross 1",
	},
	{
		name: "a fill at the instant of the cancel counts", tape: seed + "5 up trade 0.39x4\n6 up trade 0.39x5", object: `"order":{"rest_at":0.40,"cancel_after_seconds":3},"size":{"shares":10}`,
		want: "5 entry buy 4@0.4 resting",
	},
	{
		name: "a cancel is sent when its conditions hold", tape: seed + "3 up book 0.40x100 | 0.47x5\n4 up trade 0.39x1\n4.5 up trade 0.39x1",
		object: `"order":{"rest_at":0.40,"cancel_when":[{"type":"spread","token":"same","comparator":"gt","threshold":0.06,"within_seconds":null}]},"size":{"shares":10}`,
		want:   "4 entry buy 1@0.4 resting",
	},
	{
		name: "what rests expires a second before the end", tape: seed + "298.9 up trade 0.39x1\n299.5 up trade 0.39x5", object: bid40,
		want: "298.9 entry buy 1@0.4 resting",
	},
	{
		name: "a limit comes too late from a second before the end on", tape: seed, object: bid40 + `,"entry":[{"type":"time_remaining","token":null,"comparator":"lte","threshold":2,"within_seconds":null}]`,
		want: "too_late 1",
	},
	{
		name: "an order on Down stands on Up's other side", tape: seed + "5 up trade 0.43x4\n6 up trade 0.42x103\n7 down trade 0.58x2", object: `"side":"down","order":{"rest_at":0.58},"size":{"shares":10}`,
		through: "5 entry buy Down 4@0.58 resting", back: "5 entry buy Down 4@0.58 resting; 6 entry buy Down 6@0.58 resting", front: "5 entry buy Down 4@0.58 resting; 6 entry buy Down 6@0.58 resting",
	},
	{
		name: "of two messages of one trade the later is none", tape: seed + "5@4.9 up trade 0.39x4\n5.1@4.9 down trade 0.61x4\n6@5.9 up trade 0.39x1\n6@5.9 down trade 0.61x2", object: bid40,
		want: "5 entry buy 4@0.4 resting; 6 entry buy 3@0.4 resting",
	},
	{
		name: "two trades told twice are two", tape: seed + "5@4.9 up trade 0.39x2\n5@4.9 down trade 0.61x2\n6@4.9 up trade 0.39x2\n6@4.9 down trade 0.61x2", object: bid40,
		want: "5 entry buy 2@0.4 resting; 6 entry buy 2@0.4 resting",
	},
	{
		name: "two books have trades of their own", market: "mirrored=no", tape: seed + "5 down trade 0.61x4\n6 up trade 0.39x1", object: bid40,
		want: "6 entry buy 1@0.4 resting",
	},
	{
		name: "a trade without a size is no flow", tape: seed + "5 up trade 0.39\n6 up book 0.39x50 | 0.42x100", object: bid40,
	},
	{
		name: "before the first trade the fall of the bid is flow in front", tape: quiet + "5 up book 0.40x96 0.39x50 | 0.42x100\n6 up trade 0.50x1\n7 up book 0.40x50 0.39x50 | 0.42x100", object: bid40,
		through: "", back: "", front: "5 entry buy 4@0.4 resting",
	},
	{
		name: "above the best bid nobody is ahead", tape: seed + "5 up trade 0.41x3\n6 up trade 0.42x5", object: `"order":{"rest_at":0.41},"size":{"shares":10}`,
		through: "", back: "5 entry buy 3@0.41 resting", front: "5 entry buy 3@0.41 resting",
	},
	{
		name: "between two levels nobody is ahead", tape: "-1 up book 0.40x100 0.37x50 | 0.42x100\n5 up trade 0.38x3", object: `"order":{"rest_at":0.38},"size":{"shares":10}`,
		through: "", back: "5 entry buy 3@0.38 resting", front: "5 entry buy 3@0.38 resting",
	},
	{
		name: "under the lowest level the queue has no end", tape: seed + "5 up trade 0.35x3", object: `"order":{"rest_at":0.35},"size":{"shares":9}`,
		through: "", back: "", front: "5 entry buy 3@0.35 resting",
	},
	{
		name: "under a quote the queue has no end", tape: "-1 up quote 0.40x100 | 0.42x100\n-0.5 up trade 0.50x1\n5 up trade 0.35x999\n6 up trade 0.34x1\n7 up trade 0.35x3", object: `"order":{"rest_at":0.35},"size":{"shares":1001}`,
		through: "6 entry buy 1@0.35 resting", back: "6 entry buy 1@0.35 resting; 7 entry buy 3@0.35 resting",
		front: "5 entry buy 999@0.35 resting; 6 entry buy 1@0.35 resting; 7 entry buy 1@0.35 resting",
	},
	{
		name: "in a declared gap nothing fills", tape: "gap up 4 6\n" + seed + "5 up trade 0.39x4\n6 up trade 0.39x3", object: bid40,
		want: "6 entry buy 3@0.4 resting",
	},
	{
		name: "where only prices are captured nothing rests", tape: "-1 up price 0.40\n5 up trade 0.39x4", object: bid40, want: "no_liquidity 1",
	},
	{
		name: "a quote without a size offers all", tape: "-1 up quote 0.40x5 | 0.42\n5 up quote 0.38 | 0.39", object: bid40,
		want: "5 entry buy 10@0.4 resting",
	},
	{
		name: "orders of one price share by precedence", tape: seed + "5 up trade 0.39x12",
		object: bid40 + `,"then":[{"do":"buy","token":"same","on":"start","shares":10,"order":{"rest_at":0.40}}]`,
		want:   "5 then.0 buy 10@0.4 resting; 5 entry buy 2@0.4 resting",
	},
	{
		name: "the better price is filled first", tape: seed + "5 up trade 0.40x112",
		object: bid40 + `,"then":[{"do":"buy","token":"same","on":"start","shares":10,"order":{"rest_at":0.41}}]`,
		// Of the 112 the first 10 met 0.41; beyond the 100 ahead of 0.40 there are 12.
		through: "5 then.0 buy 10@0.41 resting",
		back:    "5 then.0 buy 10@0.41 resting; 5 entry buy 10@0.4 resting",
		front:   "5 then.0 buy 10@0.41 resting; 5 entry buy 10@0.4 resting",
	},
	{
		name: "own orders never meet", tape: seed,
		object: `"order":{"rest_at":0.40},"size":{"shares":10},"entry":[{"type":"time_elapsed","token":null,"comparator":"lt","threshold":1,"within_seconds":null}],"then":[{"do":"buy","token":"opposite","on":"start","shares":10,"order":{"rest_at":0.60}}]`,
		// Down at 0.60 is Up's other side at 0.40. The bid on Down arrives first: and takes Down's asks at 0.60.
		want: "1 then.0 buy Down 10@0.6",
	},
	{
		name: "a limit that meets an own resting order is refused", tape: seed,
		object: `"order":{"rest_at":0.41},"size":{"shares":10},"entry":[{"type":"time_elapsed","token":null,"comparator":"lt","threshold":1,"within_seconds":null}],"then":[{"do":"buy","token":"opposite","on":"start","shares":10,"order":{"rest_at":0.59}}]`,
		want:   "self_cross 1",
	},
	{
		name: "a taking order takes nothing at or beyond an own order", tape: "-1 up book 0.40x100 | 0.42x100 0.44x100",
		object: `"size":{"shares":150},"entry":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":5,"within_seconds":null}],"then":[{"do":"buy","token":"opposite","on":"start","shares":10,"order":{"rest_at":0.57}}]`,
		want:   "6 entry buy 100@0.42",
	},
	{
		name: "nothing before the own order is left", tape: "-1 up book 0.40x100 | 0.44x100\n7 up book 0.30x1 |",
		object: `"size":{"shares":150},"entry":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":5,"within_seconds":null}],"then":[{"do":"buy","token":"opposite","on":"start","shares":10,"order":{"rest_at":0.57}}]`,
		want:   "no_liquidity 1; self_cross 1",
	},
	{
		name: "a pair is given back for a dollar", tape: seed + "5 up trade 0.39x10\n6 down trade 0.54x4",
		object: bid40 + `,"merge":true,"then":[{"do":"buy","token":"opposite","on":"start","shares":10,"order":{"rest_at":0.55}}]`,
		want:   "5 entry buy 10@0.4 resting; 6 then.0 buy Down 4@0.55 resting; 6 merge 4@1",
	},
	{
		name: "a resting target sells where trades go through it", tape: seed + "5 up trade 0.56x4\n6 up trade 0.55x3\n7 up book 0.55x9 | 0.60x1",
		object:  `"size":{"shares":10},"exit":{"take_profit":0.55,"rest_take_profit":true}`,
		through: "1 entry buy 10@0.42; 5 exit sell 4@0.55 resting; 7 exit sell 6@0.55 resting",
		back:    "1 entry buy 10@0.42; 5 exit sell 4@0.55 resting; 6 exit sell 3@0.55 resting; 7 exit sell 3@0.55 resting",
		front:   "1 entry buy 10@0.42; 5 exit sell 4@0.55 resting; 6 exit sell 3@0.55 resting; 7 exit sell 3@0.55 resting",
	},
	{
		name: "half at one price and the rest at another", tape: seed + "5 up trade 0.90x20",
		object: `"size":{"shares":10},"exit":{"take_profit":0.80,"rest_take_profit":true},"then":[{"do":"sell","token":"same","fraction":0.5,"order":{"rest_at":0.60}}]`,
		want:   "1 entry buy 10@0.42; 5 then.0 sell 5@0.6 resting; 5 exit sell 5@0.8 resting",
	},
	{
		name: "a stop withdraws all and sells all", tape: seed + "5 up book 0.30x20 | 0.60x1\n5.5 up trade 0.20x3\n7 up trade 0.20x3",
		object: bid40 + `,"size":{"shares":10},"order":null,"exit":{"stop_loss":0.30},"then":[{"do":"buy","token":"same","on":"start","shares":10,"order":{"rest_at":0.25}}]`,
		want:   "1 entry buy 10@0.42; 5.5 then.0 buy 3@0.25 resting; 6 exit sell 13@0.3",
	},
	{
		name: "when stopped out, the other side is bought", tape: seed + "5 up book 0.30x20 | 0.31x10",
		object: `"size":{"shares":10},"exit":{"stop_loss":0.30},"then":[{"do":"buy","token":"opposite","on":"stop_loss","shares":5}]`,
		want:   "1 entry buy 10@0.42; 6 exit sell 10@0.3; 7 then.0 buy Down 5@0.7",
	},
	{
		name: "again after a target, later than it became flat", tape: seed + "5 up book 0.50x20 | 0.51x10\n6 up book 0.50x20 | 0.52x10\n8 up book 0.44x10 | 0.45x20",
		object: `"size":{"shares":10},"exit":{"take_profit":0.50},"again":{"max_entries":2,"after":["take_profit"]}`,
		want:   "1 entry buy 10@0.42; 6 exit sell 10@0.5; 9 entry buy 10@0.45",
	},
	{
		name: "again after so many seconds, at that moment", tape: seed + "5 up book 0.50x20 | 0.51x10\n6.5 up book 0.44x20 | 0.46x10",
		object: `"size":{"shares":10},"exit":{"take_profit":0.50},"again":{"max_entries":3,"after_seconds":3}`,
		want:   "1 entry buy 10@0.42; 6 exit sell 10@0.5; 10 entry buy 10@0.46",
	},
	{
		name: "again only for its reasons", tape: seed + "5 up book 0.50x20 | 0.51x10\n8 up book 0.44x10 | 0.45x20",
		object: `"size":{"shares":10},"exit":{"take_profit":0.50},"again":{"max_entries":2,"after":["stop_loss"]}`,
		want:   "1 entry buy 10@0.42; 6 exit sell 10@0.5",
	},
	{
		name: "an entry that ended unfilled is sent again", tape: seed + "6 up book 0.41x100 | 0.43x5\n8 up trade 0.40x9",
		object: `"order":{"rest_from_bid":0,"cancel_after_seconds":2},"size":{"shares":10},"again":{"max_entries":2,"after":["cancelled"]}`,
		// cancelled at 4; the entry is evaluated at 6 and bids 0.41 from 7 on
		want: "8 entry buy 9@0.41 resting",
	},
	{
		name: "a ladder adds where the price has fallen", tape: seed + "5 up book 0.35x50 | 0.37x50\n8 up book 0.30x50 | 0.32x50",
		object: `"size":{"shares":10},"then":[{"do":"buy","token":"same","usd":7.4,"when":[{"type":"best_ask","token":"same","comparator":"lte","threshold":0.37,"within_seconds":null}]},{"do":"buy","token":"same","shares":30,"when":[{"type":"held_profit","token":"same","comparator":"lte","threshold":-0.08,"within_seconds":null}]}]`,
		// After the second buy the average is (4.2 + 7.4) / 30 = 0.386667; at 8 the bid is 0.30.
		want: "1 entry buy 10@0.42; 6 then.0 buy 20@0.37; 9 then.1 buy 30@0.32",
	},
	{
		name: "the other token is bought where both together are cheap", tape: seed + "5 up book 0.46x50 | 0.48x50",
		object: `"size":{"shares":10},"merge":true,"then":[{"do":"buy","token":"opposite","match":true,"when":[{"type":"pair_cost","token":null,"comparator":"lt","threshold":0.97,"within_seconds":null}]}]`,
		// 0.42 + (1 − 0.46) = 0.96
		want: "1 entry buy 10@0.42; 6 then.0 buy Down 10@0.54; 6 merge 10@1",
	},
	{
		name: "as often as it may, so far apart", tape: seed + "3 up book 0.40x100 | 0.42x100\n4 up book 0.40x99 | 0.42x100\n6.5 up book 0.40x98 | 0.42x100\n8 up book 0.40x9 | 0.42x100",
		object: `"size":{"shares":10},"then":[{"do":"buy","token":"same","shares":1,"times":2,"after_seconds":2,"when":[{"type":"best_ask","token":"same","comparator":"lte","threshold":0.42,"within_seconds":null}]}]`,
		// first signal at 1, the instant of the entry's fill; it ends at 2; the next signal is at 4
		want: "1 entry buy 10@0.42; 2 then.0 buy 1@0.42; 5 then.0 buy 1@0.42",
	},
	{
		name: "since the first fill", tape: seed,
		object: `"size":{"shares":10},"then":[{"do":"sell","token":"same","shares":4,"when":[{"type":"since_entry","token":null,"comparator":"gte","threshold":7.5,"within_seconds":null}]}]`,
		want:   "1 entry buy 10@0.42; 9.5 then.0 sell 4@0.4",
	},
	{
		name: "the clock from the end withdraws what rests", tape: seed + "291 up trade 0.39x2\n291.5 up trade 0.39x2", object: bid40 + `,"exit":{"hold_to_expiry":false,"exit_before_seconds":10}`,
		// sent at 290, works at 291, after the fill of that capture; what was filled is sold by an order sent at once
		want: "291 entry buy 2@0.4 resting; 292 exit sell 2@0.4",
	},
	{
		name: "clock exits sell each token", tape: seed,
		object: `"size":{"shares":10},"exit":{"hold_to_expiry":false,"exit_before_seconds":10},"then":[{"do":"buy","token":"opposite","on":"start","shares":5,"when":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":3,"within_seconds":null}]}]`,
		want:   "1 entry buy 10@0.42; 4 then.0 buy Down 5@0.6; 291 exit sell 10@0.4; 291 exit sell Down 5@0.58",
	},
	{
		name: "each token has its own longest hold", tape: seed,
		object: `"size":{"shares":10},"exit":{"max_hold_seconds":20},"then":[{"do":"buy","token":"opposite","on":"start","shares":5,"when":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":3,"within_seconds":null}]}]`,
		want:   "1 entry buy 10@0.42; 4 then.0 buy Down 5@0.6; 22 exit sell 10@0.4; 25 exit sell Down 5@0.58",
	},
	{
		name: "the limit falls to the tick", tape: seed + "5 up trade 0.39x1", object: `"order":{"rest_at":0.4099},"size":{"shares":10}`,
		through: "5 entry buy 1@0.4 resting", back: "5 entry buy 1@0.4 resting", front: "5 entry buy 1@0.4 resting",
	},
	{
		name: "under the ask", tape: seed + "5 up trade 0.40x1", object: `"order":{"rest_from_ask":0.01},"size":{"shares":10}`,
		want: "5 entry buy 1@0.41 resting",
	},
	{
		name: "outside the prices there are", tape: seed, object: `"order":{"rest_from_bid":-0.45},"size":{"shares":10}`, want: "bad_limit 1",
	},
	{
		name: "under the market's smallest order", market: "min=5", tape: seed, object: `"order":{"rest_at":0.40},"size":{"shares":4},"entry":[{"type":"time_elapsed","token":null,"comparator":"lt","threshold":1,"within_seconds":null}]`,
		want: "below_min_size 1",
	},
	{
		name: "the budget bounds a resting entry", tape: seed + "5 up trade 0.39x999", object: `"order":{"rest_at":0.40},"budget_per_trade":1`,
		want: "5 entry buy 2.5@0.4 resting",
	},
	{
		name: "fills are whole hundredths", tape: seed + "5 up trade 0.39x1.2345\n6 up trade 0.39x0.005", object: bid40,
		want: "5 entry buy 1.23@0.4 resting",
	},
	{
		name: "a sell of more than is held sells what is held", tape: seed,
		object: `"size":{"shares":10},"then":[{"do":"sell","token":"same","shares":40,"when":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":5,"within_seconds":null}]}]`,
		want:   "1 entry buy 10@0.42; 6 then.0 sell 10@0.4",
	},
	{
		name: "a sell takes its shares from the resting target", tape: seed + "8 up trade 0.60x20",
		object: `"size":{"shares":10},"exit":{"take_profit":0.55,"rest_take_profit":true},"then":[{"do":"sell","token":"same","shares":4,"when":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":5,"within_seconds":null}]}]`,
		want:   "1 entry buy 10@0.42; 6 then.0 sell 4@0.4; 8 exit sell 6@0.55 resting",
	},
	{
		name: "orders of an entry end with its position", tape: seed + "5 up book 0.50x20 | 0.51x10\n6.5 up trade 0.20x1\n8 up trade 0.20x1",
		object: `"size":{"shares":10},"exit":{"max_hold_seconds":3,"take_profit":0.9},"then":[{"do":"sell","token":"same","shares":10,"when":[{"type":"best_bid","token":"same","comparator":"gte","threshold":0.5,"within_seconds":null}]},{"do":"buy","token":"same","shares":5,"order":{"rest_at":0.25}}]`,
		// The clock's order is sent at 4 and arrives at 5; it withdraws the bid at 0.25.
		want: "1 entry buy 10@0.42; 5 exit sell 10@0.5",
	},
	{
		name: "one cent over the bid", tape: seed + "5 up trade 0.41x3\n6 up trade 0.40x3", object: `"order":{"rest_from_bid":0.01},"size":{"shares":10}`,
		through: "6 entry buy 3@0.41 resting", back: "5 entry buy 3@0.41 resting; 6 entry buy 3@0.41 resting", front: "5 entry buy 3@0.41 resting; 6 entry buy 3@0.41 resting",
	},
}

func TestScenariosOfOneRound(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(scenarios), 40)
	for _, s := range scenarios {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			a := replaytest.MustParse("market btc-updown-5m-1776088800 winner=up " + s.market + "\n" + s.tape)
			o := replay.DefaultOptions()
			o.LatencyMS, o.StaleMS, o.Fees = 1000, 0, replay.FeesNone
			want := map[oracle.Queue]string{oracle.Through: s.through, oracle.Back: s.back, oracle.Front: s.front}
			for _, rule := range oracle.Queues() {
				if s.want != "" {
					want[rule] = s.want
				}
				got := oracle.PlayOne(a.All[0], objectOf(t, s.object), o, rule)
				require.Equal(t, want[rule], shortText(got, a.All[0].Market.Start), "%s\n%s", rule, got)
			}
		})
	}
}

// objectOf is a plain entry at the open with other fields over it.
func objectOf(t *testing.T, fields string) *object.Object {
	t.Helper()
	all := map[string]json.RawMessage{}
	for _, text := range []string{
		`"market":{"coin":"BTC","market_type":"5m"},"side":"up","entry":[],"budget_per_trade":1000,"sample_size":9`, fields,
	} {
		require.NoError(t, json.Unmarshal([]byte("{"+text+"}"), &all))
	}
	exit := map[string]any{"hold_to_expiry": true}
	if all["exit"] != nil {
		require.NoError(t, json.Unmarshal(all["exit"], &exit))
	}
	all["exit"], _ = json.Marshal(exit)
	text, err := json.Marshal(all)
	require.NoError(t, err)
	s, err := object.Parse(text)
	require.NoError(t, err)
	return s
}

// shortText says the legs of a round, without the settlement, and what was refused.
func shortText(p *oracle.Played, start market.Instant) string {
	var out []string
	if p.Item != nil {
		for _, l := range p.Item.Legs {
			if l.Action == "settle" {
				continue
			}
			name := strings.TrimSpace(l.Order + " " + l.Action)
			if l.Token == 1 {
				name += " Down"
			}
			average := new(big.Rat).Quo(l.Value, big.NewRat(int64(l.Shares), int64(market.SizeOne)))
			text := strings.TrimRight(strings.TrimRight(average.FloatString(6), "0"), ".")
			line := fmt.Sprintf("%s %s %s@%s", market.FormatDecimal(int64(l.Time-start), 6), name, l.Shares, text)
			if l.Kind == "resting" {
				line += " resting"
			}
			out = append(out, line)
		}
	}
	for _, counts := range []map[string]int{p.Refusals, p.ThenRefusals} {
		for _, why := range []string{"too_late", "no_liquidity", "bad_limit", "would_cross", "below_min_size", "self_cross", "no_cash", "no_edge", "daily_loss", "losing_streak"} {
			if n := counts[why]; n > 0 {
				out = append(out, fmt.Sprintf("%s %d", why, n))
			}
		}
	}
	return strings.Join(out, "; ")
}

// purseScenario is several rounds with one purse: one line a round, then the money.
type purseScenario struct {
	name, tape, object string
	want               []string // of each round
	end, lowest        string
	ruined             string // second of the first round; empty: never
}

// Rounds a and b begin together; c begins as they end. Every ask is 0.50.
const (
	roundA = "market btc-updown-5m-1776088800 id=a winner=up\n-1 up book 0.40x900 | 0.50x900\n"
	roundB = "market btc-updown-5m-1776088800 id=b winner=down\n-1 up book 0.40x900 | 0.50x900\n"
	roundC = "market btc-updown-5m-1776089100 id=c winner=up\n-1 up book 0.40x900 | 0.50x900\n"
)

var purseScenarios = []purseScenario{
	{
		name: "half of the equity, the money of the other round in it", tape: roundA + roundB,
		object: `"size":{"bankroll_fraction":0.5},"bankroll":{"start":100}`,
		want:   []string{"1 entry buy 100@0.5", "1 entry buy 100@0.5"}, end: "100", lowest: "0",
	},
	{
		name: "a settlement is money for a signal of its instant", tape: roundA + roundB + roundC,
		object: `"size":{"bankroll_fraction":0.5},"bankroll":{"start":100}`,
		want:   []string{"1 entry buy 100@0.5", "1 entry buy 100@0.5", "1 entry buy 100@0.5"}, end: "150", lowest: "0",
	},
	{
		name:   "a settlement is no money before its round was closed",
		tape:   strings.Replace(roundA, "winner=up", "winner=up closed=310", 1) + roundC + "20 up book 0.40x900 | 0.50x800\n",
		object: `"size":{"bankroll_fraction":1},"bankroll":{"start":100}`,
		// The shares count in the equity but are no cash: nothing can be sent until 310.
		want: []string{"1 entry buy 200@0.5", "21 entry buy 400@0.5; no_cash 1"}, end: "400", lowest: "0",
	},
	{
		name: "half Kelly", tape: roundA, object: `"size":{"kelly":{"probability":0.6,"fraction":0.5}},"bankroll":{"start":100}`,
		want: []string{"1 entry buy 20@0.5"}, end: "110", lowest: "90",
	},
	{
		name: "no edge", tape: roundA, object: `"size":{"kelly":{"probability":0.5,"fraction":0.5}},"bankroll":{"start":100}`,
		want: []string{"no_edge 1"}, end: "100", lowest: "100",
	},
	{
		name: "no more than so much is open", tape: roundA + roundB, object: `"budget_per_trade":40,"bankroll":{"start":100,"max_open":60}`,
		want: []string{"1 entry buy 80@0.5", "1 entry buy 40@0.5"}, end: "120", lowest: "40",
	},
	{
		name: "stopped for the day after a loss", tape: roundB + roundC, object: `"budget_per_trade":40,"bankroll":{"start":100,"daily_loss":40}`,
		want: []string{"1 entry buy 80@0.5", "daily_loss 1"}, end: "60", lowest: "60",
	},
	{
		name: "stopped for the day after losing rounds", tape: roundB + roundC, object: `"budget_per_trade":40,"bankroll":{"start":100,"max_losing_streak":1}`,
		want: []string{"1 entry buy 80@0.5", "losing_streak 1"}, end: "60", lowest: "60",
	},
	{
		name: "ruined", tape: roundB + roundC, object: `"budget_per_trade":100,"bankroll":{"start":100}`,
		want: []string{"1 entry buy 200@0.5", "no_cash 1"}, end: "0", lowest: "0", ruined: "300",
	},
	{
		name: "a resting order holds what it may cost", tape: roundA + "5 up trade 0.35x10\n" + roundB,
		object: `"budget_per_trade":60,"order":{"rest_at":0.40,"cancel_after_seconds":9},"bankroll":{"start":100}`,
		// a holds 60 and b the other 40; what did not fill comes back
		want: []string{"5 entry buy 10@0.4 resting", ""}, end: "106", lowest: "0",
	},
}

func TestScenariosOfOnePurse(t *testing.T) {
	t.Parallel()
	for _, s := range purseScenarios {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			a := replaytest.MustParse(s.tape)
			o := replay.DefaultOptions()
			o.LatencyMS, o.StaleMS, o.Fees = 1000, 0, replay.FeesNone
			got := oracle.PlayTogether(a.All, objectOf(t, s.object), o, oracle.Back)
			for i, r := range got.Rounds {
				require.Equal(t, s.want[i], shortText(r, a.All[i].Market.Start), "%s", r)
			}
			require.Equal(t, s.end, got.End.RatString())
			require.Equal(t, s.lowest, got.LowestCash.RatString())
			ruined := ""
			if got.RuinedAt != 0 {
				ruined = market.FormatDecimal(int64(got.RuinedAt-a.All[0].Market.Start), 6)
			}
			require.Equal(t, s.ruined, ruined)
		})
	}
}
