package grammar

import (
	"math/bits"
	"slices"
	"strings"
)

// Slot is a part of a meaning. What a production's parts say is unified slot by
// slot; those up to lastFinal go into the object.
type Slot int8

// Slots that go into the object. Times are seconds in 1e-6, prices dollars in
// 1e-6, counts and dollars in 1e-6.
const (
	SlotCoin    Slot = iota // index into market.Coins + 1; -1: any
	SlotLen                 // seconds, whole; -1: any
	SlotSide                // SideUp, …: said to be bought
	SlotSoft                // the same of a token at the head, without a word for buying
	SlotHint                // the same of the token that a condition without "if" is on
	SlotNotSide             // a token that is not bought
	SlotFav                 // FavLeader, FavDog: the favorite or the underdog is bought
	SlotBuy                 // 1: something is said to be bought
	SlotBudget
	SlotSample
	SlotTP
	SlotSL
	SlotTPO
	SlotSLO
	SlotTrail
	SlotMaxHold
	SlotExitBefore
	SlotExitAt   // time from the market's start at which it is sold
	SlotExitPart // the same as a part of the round: num × 100 + den
	SlotHold     // HoldYes, HoldNo
	SlotSold     // a price to sell at: target or stop, as it turns out
	SlotSellTok  // the token that an exit names, or that is not to be bought at some price
	SlotOpen     // 1: at the open; OpenFree
	SlotMend     // 1: takes the place of what was just said
	SlotBareOr   // 1: alternatives without a word before them
	SlotLoose    // 1: a time that may be of the last alternative or of all
	SlotComma    // 1: conditions joined by a comma and a word
	SlotOffer    // Ask: the side of the book that is bought from was named
	SlotWhy      // why an item is refused: index into the reasons
	lastFinal    = SlotWhy
)

// Slots that a rule must consume before an item is made.
const (
	slotTok Slot = iota + lastFinal + 1
	slotDir
	slotCmp
	slotQty
	slotNum // a price
	slotN   // a bare number
	slotUSD
	slotDur
	slotFr // a part of the round: num × 100 + den
	slotOrd
	slotTimes
	slotDecade // tens × 100 + part
	slotNeg    // 1: a sign, or a negation
	slotUnit   // seconds of the unit that a duration is written in; goes with it
	slotBetter // 1: "or better", which is more of a bid
	slotLate   // 1: a comparator of instants: counted back from the end, later is less
	nSlots
)

// Values of slots.
const (
	SideUp     = 1 // sides, also tokens
	SideDown   = 2
	SideEither = 3
	SideIt     = 4
	SideOther  = 5

	TokHeld  = 3 // tokens beyond Up and Down, as values of [Cond.Tok]
	TokOther = 4
	TokPron  = 5

	FavLeader = 1
	FavDog    = 2

	HoldYes = 1
	HoldNo  = 2

	OpenFree = 2  // of SlotOpen: there is no condition
	None     = -1 // an exit is waived, or any coin or length will do
	dirTo    = 3  // of slotDir, where up and down are as for tokens
)

// slotNames are the names of the slots in the tables, in the order of the slots.
var slotNames = strings.Fields(`coin len side soft hint notside fav buy budget sample tp sl tpo slo trail maxhold exitb exitat exitfr hold sold selltok
	open mend bareor loose comma offer why tok dir cmp qty num n usd dur fr ord times decade neg unit better late`)

func slotOf(name string) Slot {
	s := slices.Index(slotNames, name)
	return known(Slot(s), s >= 0, "slot", name)
}

// constants are the values that tables name, by slot where a name has several.
var constants = map[string]int64{
	"up": SideUp, "down": SideDown, "held": TokHeld, "other": TokOther, "pron": TokPron, "either": SideEither, "it": SideIt, "otherside": SideOther,
	"lt": cmpLT, "lte": cmpLTE, "gt": cmpGT, "gte": cmpGTE, "xa": cmpAbove, "xb": cmpBelow,
	"price": int64(Price), "ask": int64(Ask), "bid": int64(Bid), "spread": int64(Spread), "askdepth": int64(AskDepth), "biddepth": int64(BidDepth),
	"depth": int64(anyDepth), "imbalance": int64(Imbalance), "ratio": int64(bidAskRatio), "change": int64(Change), "elapsed": int64(Elapsed), "remaining": int64(Remaining),
	"true": HoldYes, "false": HoldNo, "none": None, "any": None, "leader": FavLeader, "dog": FavDog, "to": dirTo,
}

// Comparators, as values of slotCmp and [Cond.Cmp].
const (
	cmpLT = iota + 1
	cmpLTE
	cmpGT
	cmpGTE
	cmpAbove
	cmpBelow
)

// Meaning is what a part of a prompt says: slots and conditions.
type Meaning struct {
	mask uint64
	v    [nSlots]int64
	x    *Expr
}

// Has reports whether s is said.
func (m *Meaning) Has(s Slot) bool { return m.mask&(1<<s) != 0 }

// Get returns the value of s, 0 when it is not said.
func (m *Meaning) Get(s Slot) int64 { return m.v[s] }

// Conds returns the conditions said, nil for none.
func (m *Meaning) Conds() *Expr { return m.x }

// Set says s.
func (m *Meaning) Set(s Slot, v int64) {
	m.mask |= 1 << s
	m.v[s] = v
}

// agrees says s, unless something else is said in it.
func (m *Meaning) agrees(s Slot, v int64) bool {
	ok := !m.Has(s) || m.v[s] == v
	m.Set(s, v)
	return ok
}

// Drop takes back what was said.
func (m *Meaning) Drop(s Slot) {
	m.mask &^= 1 << s
	m.v[s] = 0
}

// Slots lists what is said, in order.
func (m *Meaning) Slots() []Slot {
	var out []Slot
	for r := m.mask; r != 0; r &= r - 1 {
		out = append(out, Slot(bits.TrailingZeros64(r)))
	}
	return out
}

// Take returns the value of s, and takes back that it was said.
func (m *Meaning) Take(s Slot) (v int64, ok bool) {
	v, ok = m.v[s], m.Has(s)
	if m.Drop(s); s == slotDur {
		m.Drop(slotUnit)
	}
	return v, ok
}

// finalMask has the slots that go into the object.
const finalMask = 1<<(lastFinal+1) - 1

// lost reports whether something said would be lost in an item.
func (m *Meaning) lost() bool { return m.mask&^finalMask != 0 }

func (m *Meaning) equal(o *Meaning) bool {
	return m.mask == o.mask && m.v == o.v && (m.x == nil) == (o.x == nil) && (m.x == nil || m.x.hash == o.x.hash)
}

// sum is the same for two lists of meanings that say the same.
func (m *Meaning) sum() uint64 {
	h := uint64(0)
	for r := m.mask; r != 0; r &= r - 1 {
		k := bits.TrailingZeros64(r)
		h += mix(uint64(k+1)*0x9E3779B97F4A7C15 + uint64(m.v[k]))
	}
	if m.x != nil {
		h += m.x.hash
	}
	return h
}

func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return h
}

// xBit stands for the conditions in masks of what an action reads.
const xBit = uint64(1) << 63

// unify adds what o says, but for the slots of skip; false where the two say
// different things.
func (m *Meaning) unify(o *Meaning, skip uint64) bool {
	for r := o.mask &^ skip; r != 0; r &= r - 1 {
		k := bits.TrailingZeros64(r)
		if !m.agrees(Slot(k), o.v[k]) {
			return false
		}
	}
	switch {
	case o.x == nil || skip&xBit != 0:
		return true
	case m.x == nil:
		m.x = o.x
	default:
		m.x = And(m.x, o.x)
	}
	return m.x != nil
}
