package lexicon

// unit says what a number counts: the class of numbers that have it, as the kinds of
// words in the table of numbers are named; "" for none.
type unit string

const (
	uCent   unit = "CENT"
	uDollar unit = "USD"
	uTime   unit = "DUR"  // n seconds
	uFrac   unit = "FRAC" // num/den, of a dollar or of the round
	uDecade unit = "DECADE"
	uOrd    unit = "ORD"
	uPct    unit = "PCT"
	uShare  unit = "SHARES"
	uDays   unit = "DAYS" // longer than any market
	uClock  unit = "CLOCK"
)

// value is a number as written, with its unit. A word that names a unit says how
// many cents, dollars or seconds it is.
type value struct {
	n        int64 // in units of 1e-6 of the unit; negative: too large or too fine
	num, den int16 // uFrac
	dec      int8  // decimals as written
	unit     unit
	sign     int8  // +1, -1 when a sign is written, else 0
	compact  bool  // a duration written as 5m, 15m, 1h
	missing  bool  // of an optional term that is not there
	sub      int8  // part of a decade: 1 low, 2 mid, 3 high
	at       int32 // token that it begins at
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

// classes lists what a number may be, with what it says as that.
func (v *value) classes() (Value, string) {
	out := Value{N: v.n}
	switch {
	case v.n < 0 || v.unit == uCent && v.n > 100*micro && v.sign == 0:
		return Value{}, "BADNUM"
	case v.sign != 0:
		return v.signed()
	}
	switch v.unit {
	case "":
		return out, v.bare()
	case uDollar:
		return out, v.dollars()
	case uTime:
		out.Unit = v.size
		return out, v.duration()
	case uFrac:
		out = Value{Num: int32(v.num), Den: int32(v.den)}
	case uDecade:
		out = Value{Num: int32(v.n / micro), Den: int32(v.sub)}
	case uCent:
		if out.N /= 100; out.N == 0 || out.N == micro {
			return out, "EDGE" // 0c and 100c
		}
	}
	return out, string(v.unit)
}

func (v *value) bare() string {
	switch {
	case v.n == 0:
		return "ZERO"
	case v.n < micro:
		return "DEC"
	case v.n%micro == 0:
		return "INT"
	}
	return "REAL"
}

func (v *value) dollars() string {
	switch {
	case v.n == 0:
		return "ZEROUSD"
	case v.n < micro:
		return "USDC"
	}
	return "USD"
}

func (v *value) duration() string {
	switch s := v.n / micro; {
	case v.n%micro != 0 || s != 300 && s != 900 && s != 3600 && s != 14400 && s != 86400: // no length of market
		return "DUR"
	case v.compact:
		return "DUR LEN CLEN"
	}
	return "DUR LEN"
}

// signed is a number with its sign written: a price, or a part of one.
func (v *value) signed() (Value, string) {
	n := v.n
	switch {
	case v.unit == uPct:
		return Value{}, "PCT"
	case v.unit == uCent, v.unit == "" && n >= micro:
		n /= 100
	case v.unit != uDollar && v.unit != "":
		return Value{}, "BADNUM"
	}
	switch {
	case n == micro && v.sign < 0 && v.unit == uCent:
		return Value{N: n}, "MINUSEDGE" // -100c
	case n <= 0 || n >= micro:
		return Value{}, "BADNUM"
	case v.sign < 0:
		return Value{N: n}, "MINUSNUM"
	}
	return Value{N: n}, "PLUSNUM"
}
