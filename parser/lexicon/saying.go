package lexicon

import (
	"slices"
	"strconv"
	"strings"
)

// saying is what the terms of a form say together; false where they do not make
// a number.
type saying func(x *reader, p []value) (value, bool)

// sayingOf reads what stands behind the colon of a form: a name, or which term
// counts, with its unit.
func sayingOf(s string) saying {
	of, unitName, _ := strings.Cut(s, " ")
	n, err := strconv.Atoi(of)
	switch {
	case s == "":
		return func(_ *reader, p []value) (value, bool) { return append(p, value{})[0], true }
	case err != nil:
		return sayings[s]
	case unitName == "":
		return func(_ *reader, p []value) (value, bool) { return p[n-1], true }
	}
	return func(_ *reader, p []value) (value, bool) {
		v := append([]value{{}}, p...)[n]
		v.unit = unit(unitName)
		return v, true
	}
}

// sayings are the named ones. They are constant in spirit.
var sayings = map[string]saying{
	"signed":    func(_ *reader, p []value) (value, bool) { p[1].sign = p[0].sign; return p[1], true },
	"nth":       func(_ *reader, p []value) (value, bool) { p[0].unit = uOrd; return p[0], p[0].dec == 0 },
	"thousands": func(_ *reader, p []value) (value, bool) { return p[0].scaled(1000), true },
	"millions":  func(_ *reader, p []value) (value, bool) { return p[0].scaled(1_000_000), true },
	"scaled":    func(_ *reader, p []value) (value, bool) { return p[0].scaled(p[1].n / micro), true },
	// A hundred and fifty, a thousand two hundred.
	"under": func(_ *reader, p []value) (value, bool) {
		fits := (p[0].n == 100*micro || p[0].n == 1000*micro) && p[1].n >= 0 && p[1].n < p[0].n
		return value{n: p[0].n + p[1].n}, fits
	},
	"hundreds": func(_ *reader, p []value) (value, bool) {
		return p[0].scaled(p[1].n / micro), p[0].n == 100*micro && p[1].n != 100*micro
	},
	// Twelve dollars and fifty cents.
	"dollars": func(_ *reader, p []value) (value, bool) {
		return value{unit: uDollar, n: p[0].n + p[1].n/100, dec: 2}, p[0].unit == uDollar && p[0].n > 0 && p[1].n > 0 && p[1].n < 100*micro
	},
	"plus": func(_ *reader, p []value) (value, bool) {
		if p[1].unit == uFrac {
			p[1].n = micro / int64(p[1].den)
		}
		return value{n: p[0].n + p[1].n}, true
	},
	// 2½, 2 1/2.
	"mixed": func(_ *reader, p []value) (value, bool) {
		part := fraction(p[1].n/micro, p[2].n/micro)
		num, den := int64(part.num), int64(part.den)
		if num <= 0 || num >= den || den > 8 || p[0].dec+p[1].dec+p[2].dec != 0 || p[0].n < 0 || num*micro%den != 0 {
			return value{}, false
		}
		return value{n: p[0].n + num*micro/den, dec: 2}, true
	},
	// 1/3; a third times two.
	"over": func(_ *reader, p []value) (value, bool) {
		v := fraction(p[0].n/micro, p[1].n/micro)
		return v, p[0].dec == 0 && p[1].dec == 0 && v.num > 0 && v.num < v.den && v.den <= 12
	},
	"parts": func(_ *reader, p []value) (value, bool) {
		v := fraction(p[0].n/micro, int64(p[1].den))
		return v, v.num > 0 && v.num < 12 && v.num <= v.den
	},
	"partof": func(x *reader, p []value) (value, bool) {
		u, total, den := p[2], int64(p[0].num)*p[2].n*micro, int64(p[0].den)
		return value{unit: u.unit, n: total / den, size: u.n}, total%den == 0 && len(x.text(int(u.at))) > 1
	},
	"bigpart": func(x *reader, p []value) (value, bool) {
		total, den := int64(p[0].num)*p[2].n, int64(p[0].den)
		v, _ := x.measured(value{n: total / den}, p[3])
		return v, total%(den*micro) == 0
	},
	// Times of the clock, and minutes and seconds.
	"clock": func(x *reader, p []value) (value, bool) { return value{unit: uClock, n: p[0].n}, x.isClock(p) },
	"minsec": func(x *reader, p []value) (value, bool) {
		return value{unit: uTime, n: p[0].n*60 + p[1].n, size: 1}, x.isClock(p)
	},
	// The 40s, and parts of them.
	"tens": func(x *reader, p []value) (value, bool) {
		v, tens := p[0], p[0].n/micro
		v.unit, v.sub = uDecade, int8(numberWords["tens"][x.text(int(v.at)-1)])
		return v, v.dec == 0 && tens%10 == 0 && tens >= 10 && tens <= 90
	},
	"measured": func(x *reader, p []value) (value, bool) { return x.measured(p[0], p[1]) },
	"longer":   (*reader).longer,
	"smaller": func(x *reader, p []value) (value, bool) {
		return value{unit: uTime, n: p[0].n * p[1].n, size: p[1].n}, p[0].n >= 0 && !x.otherTime(int(p[0].at), int(p[1].at))
	},
}

func fraction(num, den int64) value {
	return value{unit: uFrac, num: int16(min(num, 100)), den: int16(min(den, 100))}
}

// scaled is v so many times, negative where that is too large.
func (v value) scaled(times int64) value {
	if v.n < 0 || v.n > maxWhole*micro/times {
		v.n = -1
		return v
	}
	v.n *= times
	return v
}

// isClock reports whether p are the parts of 9:30.
func (x *reader) isClock(p []value) bool {
	return p[0].dec == 0 && p[0].n >= 0 && p[0].n <= 1440*micro && len(x.text(int(p[1].at))) == 2 && p[1].n < 60*micro
}

// measured is an amount in a unit, if there is one; false where it is none of
// this amount: one contract is no number of them, and a key's first word no unit of what
// is before it: "PRICE=0.4 MINUTES_LEFT=2".
func (x *reader) measured(v, u value) (value, bool) {
	if u.missing || !x.glued(int(u.at)) && x.is(int(u.at)+1, "_") && x.hyphen(int(u.at)+1) || u.unit == uShare && (v.n == micro || v.n < 0) && x.text(int(u.at)) != "shares" {
		return v, u.missing
	}
	v.unit = u.unit
	switch u.unit {
	case uTime:
		v.compact, v.size = x.compact(int(u.at)), u.n
		if v = v.scaled(u.n); v.n < 0 || v.n > 86400*micro {
			v.unit = uDays
		}
	case uCent:
		v = v.scaled(u.n)
	}
	return v, true
}

// compact reports whether token i is the unit of a number written as 5m, 1h.
func (x *reader) compact(i int) bool { return len(x.text(i)) == 1 && x.glued(i) && x.isNum(i-1) }

// longer adds to a duration what stands behind it, if anything does: a half or
// a quarter of its unit, or more of a smaller one.
func (x *reader) longer(p []value) (value, bool) {
	v, more := p[0], p[1]
	size, part := unitOfDuration(v.n), int64(more.den)
	switch {
	case more.missing || v.unit != uTime:
		return v, more.missing
	case more.unit == uFrac:
		v.n += size / part
		return v, size > 0 && size%part == 0 && (size > micro || x.text(int(more.at)-1) == "a")
	}
	v.n += more.n
	v.compact, v.size = false, more.size
	return v, more.n < size
}

// unitOfDuration returns the largest of day, hour, minute and second that
// divides the duration, in units of 1e-6 s.
func unitOfDuration(n int64) int64 {
	for _, u := range [...]int64{86400, 3600, 60, 1} {
		if n > 0 && n%(u*micro) == 0 {
			return u * micro
		}
	}
	return 0
}

// otherTime reports whether the duration in the tokens [j, k], behind one that
// ends before it, is another one: "between 1 minute and 30 seconds", "in 1 minute
// and 20 seconds or less are left".
func (x *reader) otherTime(j, k int) bool {
	first := j - 3
	if x.hyphen(first) {
		first--
	}
	switch and := x.text(j-1) == "and"; {
	case !and && !(x.tokens[j].space && x.compact(j-1)):
		return false
	case and && x.anyOf(j-7, j-1, "between", "from"),
		and && x.anyOf(first-2, first, "in", "last", "past", "within", "over", "during") && x.is(k+1, "left", "remaining", "remain", "are", "or", "have", "has"):
		return true
	}
	return x.is(k+1, "left", "remaining", "market", "markets", "round", "rounds", "btc", "eth", "bitcoin")
}

// anyOf reports whether one of words is among the tokens [from, to).
func (x *reader) anyOf(from, to int, words ...string) bool {
	return slices.ContainsFunc(x.tokens[max(from, 0):max(to, 0)], func(k tok) bool { return slices.Contains(words, k.text) })
}
