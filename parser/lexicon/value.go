package lexicon

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
	sign     int8  // +1, -1 when a sign is written, else 0
	compact  bool  // a duration written as 5m, 15m, 1h
	words    bool  // written in words
	sub      int8  // part of a decade: 1 low, 2 mid, 3 high
	size     int64 // uTime: seconds of the last unit written, 60 for minutes
}

// Micro is the number of units of [Value.N] in one.
const Micro = micro

// Value is the amount of a lexeme that is a number.
type Value struct {
	// N is the amount in 1e-6 of what its class counts: dollars of a price for
	// CENT, DEC, USDC, PLUSNUM and MINUSNUM (never signed), dollars for USD,
	// seconds for DUR and LEN, the number itself for INT, REAL, ORD and TIMES.
	N int64
	// Num and Den are the parts of a FRAC; of a DECADE, Num is the tens and Den
	// 0 for the whole of it, 1, 2, 3 for low, mid and high.
	Num, Den int32
	// Unit is the seconds of the unit that a DUR is written in: 60 for minutes.
	Unit int64
}

// lengths of market, in seconds.
var marketSeconds = [...]int64{300, 900, 3600, 14400, 86400}

func isMarketLength(micros int64) bool {
	for _, s := range marketSeconds {
		if micros == s*micro {
			return true
		}
	}
	return false
}

// classes lists what a number may be, in the order of classValue.
func (v *value) classes() (Value, []string) {
	switch {
	case v.n < 0:
		return Value{}, badNumber
	case v.sign != 0:
		return v.signed()
	}
	switch v.unit {
	case uCent:
		return v.cents()
	case uDollar:
		return Value{N: v.n}, v.dollars()
	case uNone:
		return Value{N: v.n}, v.bare()
	case uTime:
		return v.duration()
	case uFrac:
		return Value{Num: int32(v.num), Den: int32(v.den)}, fractionClass
	case uDecade:
		return Value{Num: int32(v.n / micro), Den: int32(v.sub)}, decadeClass
	}
	return Value{N: v.n}, plainClasses[v.unit]
}

func (v *value) cents() (Value, []string) {
	switch {
	case v.n == 0, v.n == 100*micro:
		return Value{N: v.n / 100}, edgeClass
	case v.n > 100*micro:
		return Value{}, badNumber
	}
	return Value{N: v.n / 100}, centClass
}

func (v *value) dollars() []string {
	switch {
	case v.n == 0:
		return zeroUSDClass
	case v.n >= micro:
		return dollarClass
	}
	return priceClass
}

// Classes of numbers. They are constant in spirit.
var (
	badNumber     = []string{"BADNUM"}
	centClass     = []string{"CENT"}
	edgeClass     = []string{"EDGE"}      // 0c and 100c
	minusEdge     = []string{"MINUSEDGE"} // -100c
	zeroUSDClass  = []string{"ZEROUSD"}   // $0
	dollarClass   = []string{"USD"}
	priceClass    = []string{"USDC"}
	fractionClass = []string{"FRAC"}
	decadeClass   = []string{"DECADE"}
	durClass      = []string{"DUR"}
	lenClass      = []string{"DUR", "LEN"}
	compactClass  = []string{"DUR", "LEN", "CLEN"}
	plusClass     = []string{"PLUSNUM"}
	minusClass    = []string{"MINUSNUM"}
	plainClasses  = map[unit][]string{
		uOrd: {"ORD"}, uPct: {"PCT"}, uTimes: {"TIMES"}, uShare: {"SHARES"}, uClock: {"CLOCK"}, uMoney: {"BADMONEY"},
		uPoint: {"TICKS"}, uDays: {"DAYS"},
	}
)

// signed is a number with its sign written.
func (v *value) signed() (Value, []string) {
	out, n := plusClass, v.n
	if v.sign < 0 {
		out = minusClass
	}
	switch v.unit {
	case uPct:
		return Value{}, plainClasses[uPct]
	case uCent:
		n /= 100
	case uNone:
		if n >= micro {
			n /= 100
		}
	case uDollar:
	default:
		return Value{}, badNumber
	}
	switch {
	case n == micro && v.sign < 0 && v.unit == uCent:
		return Value{N: n}, minusEdge
	case n <= 0 || n >= micro:
		return Value{}, badNumber
	}
	return Value{N: n}, out
}

func (v *value) bare() []string {
	switch {
	case v.n == 0:
		return []string{"ZERO"}
	case v.n < micro:
		return []string{"DEC"}
	case v.n%micro == 0:
		return []string{"INT"}
	}
	return []string{"REAL"}
}

func (v *value) duration() (Value, []string) {
	out := Value{N: v.n, Unit: v.size}
	switch {
	case !isMarketLength(v.n):
		return out, durClass
	case v.compact:
		return out, compactClass
	}
	return out, lenClass
}
