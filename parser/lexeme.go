package parser

import "github.com/ladderback/ladderback/strategy"

// kind says what a lexeme is for.
type kind uint8

const (
	kUnknown kind = iota
	kEOF
	kWord // a small word that the grammar names: at, to, between, …
	kFill // sets nothing
	kVal  // a number with its unit

	kComma
	kStop  // end of a sentence or line
	kSoft  // arrow, dash between clauses, bar, brace
	kColon // colon, after a label
	kEq    // equals sign
	kPlus
	kMinus // a minus or a hyphen between numbers
	kSlash
	kOpenParen
	kCloseParen

	kCoin    // w is the ticker
	kAnyCoin // every coin
	kAnyLen  // every length
	kLenWord // hourly, daily, …; v is the duration

	kTok    // Up or Down; sub is tokUp or tokDown
	kOther  // the other side
	kEither // whichever side
	kFav    // favorite (sub tokUp) or underdog (sub tokDown)
	kHigher // higher or lower as what is bet on
	kPron   // it, its, them

	kBuy
	kSell
	kTP
	kSL
	kTrail
	kHold
	kRide // hold to expiry, complete in itself
	kProfit
	kLoss
	kMake // make x a share
	kEntryRef
	kEntryCue
	kSide // the label side:

	kCmp  // comparator before a value; sub is a comparison
	kPost // comparator behind a value
	kBe
	kMove  // sub is a direction
	kCross // cross or break
	kQty   // what is compared; sub is a qty
	kCanBuy
	kPay

	kRound  // market, round, window
	kTrades // trades, samples
	kEnd    // the market's end
	kOpen   // the market's start
	kLeft
	kGone
	kFirst
	kLast

	kIf
	kUnless
	kAnd
	kOr
	kBut
	kNot
	kAvoid
	kNone // a label's value: none, off

	kPer
	kStake
	kBudget
	kSample

	kMean    // actually, make that: replaces the value just named
	kVague   // an amount without a number
	kRefuse  // something that the object cannot say; sub is a reason
	kOutside // a value that is not this market's
)

// Tokens, as sub of kTok, kFav and kHigher.
const (
	tokNone int16 = iota
	tokUp
	tokDown
	tokHeld  // the token bought, whichever that is
	tokOther // the token not bought
	tokPron  // it: the token bought, unless the other one was just spoken of
)

// Directions, as sub of kMove.
const (
	moveUp int16 = iota + 1
	moveDown
	moveTo // hits, reaches: the direction follows from the value
	moveGo // goes, moves: the direction is another word
)

// comparison is a comparator as it is read from words.
type comparison = int16

const (
	cmpNone comparison = iota
	cmpLT
	cmpLTE
	cmpGT
	cmpGTE
)

// qty is what a condition compares.
type qty = int16

const (
	qNone qty = iota
	qPrice
	qAsk
	qBid
	qSpread
	qAskDepth
	qBidDepth
	qDepth // depth without a side yet
	qImbalance
	qRatio // bids over asks
	qChange
	qElapsed
	qRemaining
)

// unit says what a number counts.
type unit uint8

const (
	uNone   unit = iota
	uCent        // n cents
	uDollar      // n dollars
	uTime        // n seconds
	uFrac        // num/den, of a dollar or of the round
	uOrd         // first, 2nd
	uPct
	uTimes  // twice, 2x
	uShare  // shares, contracts
	uDecade // the 40s
	uPoint  // points, ticks
	uMoney  // a currency other than the dollar
	uDays   // weeks, months: longer than any market
	uClock  // 9:30
)

// value is a number as written, with its unit.
type value struct {
	n        int64 // in units of 1e-6 of the unit; negative: too large or too fine
	num, den int16 // uFrac
	dec      int8  // decimals as written
	unit     unit
	sign     int8 // +1, -1 when a sign is written, else 0
	compact  bool // a duration written as 5m, 15m, 1h
	words    bool // written in words
	comma    bool // the decimals follow a comma
	sub      int8 // part of a decade: 1 low, 2 mid, 3 high
}

// span of the prompt in code points.
type extent struct{ start, end int32 }

// lexeme is a phrase of the vocabulary or a value.
type lexeme struct {
	kind  kind
	sub   int16
	glued bool    // nothing between it and the lexeme before
	field fieldID // what it was read into; 0: nothing
	typo  bool    // read at edit distance one
	w     string  // the phrase in the vocabulary's spelling
	v     value
	extent
}

// fieldID names what a lexeme was read into: one of the constants, or
// fieldCond + i for the i-th condition in the order of reading.
type fieldID int16

const (
	fieldNone fieldID = iota
	fieldCoin
	fieldType
	fieldSide
	fieldEntry
	fieldAny
	fieldTP
	fieldSL
	fieldHold
	fieldTPOffset
	fieldSLOffset
	fieldTrail
	fieldMaxHold
	fieldExitBefore
	fieldBudget
	fieldSample
	fieldSold         // a price to sell at, target or stop as it turns out
	fieldCond fieldID = 100
)

var fieldNames = [...]string{
	fieldNone:       "",
	fieldCoin:       "market.coin",
	fieldType:       "market.market_type",
	fieldSide:       "side",
	fieldEntry:      "entry",
	fieldAny:        "entry_any",
	fieldTP:         "exit.take_profit",
	fieldSL:         "exit.stop_loss",
	fieldHold:       "exit.hold_to_expiry",
	fieldTPOffset:   "exit.take_profit_offset",
	fieldSLOffset:   "exit.stop_loss_offset",
	fieldTrail:      "exit.trailing_stop",
	fieldMaxHold:    "exit.max_hold_seconds",
	fieldExitBefore: "exit.exit_before_seconds",
	fieldBudget:     "budget_per_trade",
	fieldSample:     "sample_size",
	fieldSold:       "exit.take_profit",
}

func comparatorOf(c comparison) strategy.Comparator {
	switch c {
	case cmpLT:
		return strategy.LT
	case cmpLTE:
		return strategy.LTE
	case cmpGT:
		return strategy.GT
	}
	return strategy.GTE
}

// negated returns the comparator that holds exactly where c does not.
func negated(c comparison) comparison {
	switch c {
	case cmpLT:
		return cmpGTE
	case cmpLTE:
		return cmpGT
	case cmpGT:
		return cmpLTE
	case cmpGTE:
		return cmpLT
	}
	return c
}
