package parser

import "strings"

// evidence is what a prompt names that an answer of a model can be held
// against: numbers with their units, coins, lengths, tokens, comparisons. It is
// read from lexemes and words, before any grammar, so that it exists for
// prompts that the rules do not understand too.
type evidence struct {
	values  []evidenced
	coins   []string
	anyCoin bool
	lengths []int64 // seconds, of lengths named by a word or beside a number
	anyLen  bool
	up      bool // Up is named, or "higher"
	down    bool // Down or No is named, or "lower"
	either  bool // either side, favorite, underdog, the other side
	fav     bool
	open    bool // at the open
	mended  bool // "actually", "make that": a number may have been replaced
	negated bool // a word that turns round what it stands before
	held    bool // holding, or the market's end, is spoken of
	before  bool // "before the end"
	below   bool // a word for less, or for moving down
	above   bool
	qtys    map[qty]bool // what is compared, by name
	every   bool         // "any", "every", "all" was just read
	// strange counts words that are not of the language. Where there are many
	// the absence of a word says nothing.
	strange int
}

// evidenced is a value of the prompt.
type evidenced struct {
	lexeme
	text    string     // as written
	cmp     comparison // the comparator right before or behind it; cmpNone: none, or negated
	crossed bool       // a word for crossing stands before it
	implied bool       // a word that holds a number ("the last minute"); may set nothing
	used    bool       // a field of the answer came from it
}

// manyStrange is from how many strange words on only what is there counts.
const manyStrange = 3

func gather(p *parser) *evidence {
	e := &evidence{qtys: map[qty]bool{}}
	negated, crossed := false, false
	for i, l := range p.all {
		switch l.kind {
		case kStop:
			negated, crossed = false, false
		case kNot, kUnless, kAvoid:
			negated, e.negated = true, true
		case kCross:
			crossed = true
			e.below, e.above = true, true
		case kVal:
			v := evidenced{lexeme: l, text: p.t.slice(l.start, l.end), crossed: crossed}
			if !negated {
				v.cmp = comparatorBeside(p.all, i)
			}
			e.values, crossed = append(e.values, v), false
			if l.v.unit == uTime {
				e.lengths = append(e.lengths, l.v.n/micro)
			}
		default:
			e.gatherName(l)
		}
		if l.kind == kEnd && i > 0 && strings.HasPrefix(p.wordsBefore(i), "before") {
			e.before = true
		}
		e.gatherWords(p, l)
	}
	return e
}

// wordsBefore returns the prompt's text of the last lexeme before the i-th that
// is no filler, in lower case.
func (p *parser) wordsBefore(i int) string {
	for i--; i >= 0; i-- {
		if p.all[i].kind != kFill {
			return strings.ToLower(p.t.slice(p.all[i].start, p.all[i].end))
		}
	}
	return ""
}

// comparatorBeside returns the comparator that stands right before the value
// at i, or right behind it; cmpNone when there is none or both differ.
func comparatorBeside(all []lexeme, i int) comparison {
	before, behind := cmpNone, cmpNone
	for k := i - 1; k >= 0; k-- {
		if all[k].kind == kFill {
			continue
		}
		if all[k].kind == kCmp && all[k].w != "up to" { // "goes up to" is none
			before = all[k].sub
		}
		break
	}
	if i+1 < len(all) && all[i+1].kind == kPost {
		behind = all[i+1].sub
	}
	if before != cmpNone && behind != cmpNone {
		return cmpNone
	}
	return max(before, behind)
}

// gatherName notes coins, lengths, tokens and what is compared.
func (e *evidence) gatherName(l lexeme) {
	switch l.kind {
	case kLenWord:
		e.lengths = append(e.lengths, l.v.n/micro)
	case kCoin:
		e.coins = append(e.coins, l.w)
	case kAnyCoin:
		e.anyCoin = true
	case kAnyLen:
		e.anyLen = true
	case kTok, kHigher:
		e.up = e.up || l.sub == tokUp
		e.down = e.down || l.sub == tokDown
	case kFav:
		e.fav, e.either = true, true
	case kEither, kOther:
		e.either = true
	case kOpen:
		e.open = true
	case kMean:
		e.mended = true
	case kEnd, kHold, kRide:
		e.held = true
	case kQty:
		e.qtys[l.sub] = true
	case kCanBuy:
		e.qtys[map[bool]qty{true: qBid, false: qAsk}[l.sub == tokDown]] = true
	case kPay, kBuy:
		e.qtys[qAsk] = true // "buy … for"
	case kCmp, kPost:
		e.below = e.below || l.sub == cmpLT || l.sub == cmpLTE
		e.above = e.above || l.sub == cmpGT || l.sub == cmpGTE
	case kMove:
		e.below = e.below || l.sub != moveUp
		e.above = e.above || l.sub != moveDown
	case kUnknown:
		if len([]rune(l.w)) > 2 {
			e.strange++
		}
	}
}

// gatherWords notes words by their spelling, whatever phrase they are part of.
func (e *evidence) gatherWords(p *parser, l lexeme) {
	imply := func(v value) {
		e.values = append(e.values, evidenced{lexeme: lexeme{v: v, extent: l.extent}, text: l.w, implied: true})
	}
	every, coin, length := false, false, false
	if l.kind == kVal {
		return
	}
	for w := range strings.FieldsSeq(strings.ToLower(p.t.slice(l.start, l.end))) {
		switch w {
		case "any", "every", "all", "each", "whatever", "whichever":
			every = true
		case "coin", "coins", "crypto", "cryptos":
			coin = true
		case "length", "lengths", "market", "markets", "duration", "durations":
			length = true
		}
		switch w {
		case "up", "yes":
			e.up = true
		case "down", "no":
			e.down = true
		case "tight", "wide":
			e.qtys[qSpread] = true
		case "second", "sec":
			imply(value{unit: uTime, n: micro})
		case "minute", "min":
			imply(value{unit: uTime, n: 60 * micro})
		case "hour", "hr":
			imply(value{unit: uTime, n: 3600 * micro})
		case "halfway", "midway", "half":
			imply(value{unit: uFrac, num: 1, den: 2})
		case "dozen":
			imply(value{n: 12 * micro})
		}
	}
	e.anyCoin = e.anyCoin || (e.every || every) && coin
	e.anyLen = e.anyLen || (e.every || every) && length
	e.every = every || (e.every && l.kind == kFill)
}
