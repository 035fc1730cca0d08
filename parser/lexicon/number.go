package lexicon

// unitWords maps words behind a number to its unit. It is constant in spirit.
var unitWords = map[string]struct {
	unit  unit
	times int64 // what one of it is, in seconds or cents or dollars
}{
	"c": {uCent, 1}, "¢": {uCent, 1}, "ct": {uCent, 1}, "cts": {uCent, 1}, "cent": {uCent, 1}, "cents": {uCent, 1},
	"penny": {uCent, 1}, "pennies": {uCent, 1}, "nickel": {uCent, 5}, "nickels": {uCent, 5}, "dime": {uCent, 10}, "dimes": {uCent, 10},
	"$": {uDollar, 1}, "dollar": {uDollar, 1}, "dollars": {uDollar, 1}, "buck": {uDollar, 1}, "bucks": {uDollar, 1}, "usd": {uDollar, 1},
	"bux": {uDollar, 1}, "smackers": {uDollar, 1}, "greenbacks": {uDollar, 1}, "usd's": {uDollar, 1},
	"s": {uTime, 1}, "sec": {uTime, 1}, "secs": {uTime, 1}, "second": {uTime, 1}, "seconds": {uTime, 1},
	"m": {uTime, 60}, "min": {uTime, 60}, "mins": {uTime, 60}, "minute": {uTime, 60}, "minutes": {uTime, 60},
	"h": {uTime, 3600}, "hr": {uTime, 3600}, "hrs": {uTime, 3600}, "hour": {uTime, 3600}, "hours": {uTime, 3600},
	"d": {uTime, 86400}, "day": {uTime, 86400}, "days": {uTime, 86400},
	"week": {uDays, 7}, "weeks": {uDays, 7}, "month": {uDays, 30}, "months": {uDays, 30}, "year": {uDays, 365}, "years": {uDays, 365},
	"x": {uTimes, 1}, "times": {uTimes, 1}, "fold": {uTimes, 1},
	"%": {uPct, 1}, "percent": {uPct, 1}, "pct": {uPct, 1}, "percentage": {uPct, 1}, "bps": {uPct, 1}, "bp": {uPct, 1}, "pp": {uPct, 1}, "ppt": {uPct, 1}, "percents": {uPct, 1}, "permille": {uPct, 1},
	"shares": {uShare, 1}, "share": {uShare, 1}, "contracts": {uShare, 1}, "contract": {uShare, 1}, "tokens": {uShare, 1}, "tickets": {uShare, 1},
	"am": {uClock, 1}, "pm": {uClock, 1}, "o'clock": {uClock, 1}, "oclock": {uClock, 1}, "utc": {uClock, 1},
	"tick": {uPoint, 1}, "ticks": {uPoint, 1}, "points": {uPoint, 1}, "point": {uPoint, 1}, "pts": {uPoint, 1}, "pips": {uPoint, 1}, "pt": {uPoint, 1},
	"euro": {uMoney, 1}, "euros": {uMoney, 1}, "eur": {uMoney, 1}, "€": {uMoney, 1}, "£": {uMoney, 1}, "gbp": {uMoney, 1}, "quid": {uMoney, 1}, "pounds": {uMoney, 1}, "¥": {uMoney, 1}, "yen": {uMoney, 1}, "₹": {uMoney, 1}, "sats": {uMoney, 1},
}

var smallNumbers = map[string]int64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var bigNumbers = map[string]int64{"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12, "dozens": 12, "grand": 1000, "mil": 1_000_000}

var multiples = map[string]int64{"twice": 2, "thrice": 3, "double": 2, "triple": 3}

var ordinalWords = map[string]int64{
	"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
	"thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50,
}

var decadeWords = map[string]int64{"tens": 10, "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90, "teens": 10}

var fractionWords = map[string]int16{"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10}

// numberVocabulary lists the words that numbers are made of.
func numberVocabulary() []string {
	var out []string
	for _, m := range []map[string]int64{smallNumbers, bigNumbers, ordinalWords, decadeWords} {
		for w := range m {
			out = append(out, w)
		}
	}
	for w := range unitWords {
		out = append(out, w)
	}
	for w := range multiples {
		out = append(out, w)
	}
	for w := range fractionWords {
		out = append(out, w)
	}
	return out
}

// text returns the text of token i, "" beyond the end.
func (x *reader) text(i int) string {
	if i < 0 || i >= len(x.toks) {
		return ""
	}
	return x.toks[i].text
}

// hyphen reports whether token i is a hyphen, or an underscore, with nothing
// around it.
func (x *reader) hyphen(i int) bool {
	return i > 0 && i+1 < len(x.toks) && (x.toks[i].text == "-" || x.toks[i].text == "_") && !x.toks[i].space && !x.toks[i+1].space
}

// skipHyphen returns i, or i + 1 when a hyphen stands at i.
func (x *reader) skipHyphen(i int) int {
	if x.hyphen(i) {
		return i + 1
	}
	return i
}

// number reads a number with its unit at token i and returns how many tokens
// it takes, 0 when there is none.
func (x *reader) number(i int) (value, int) {
	start := i
	v := value{}
	if s := x.text(i); (s == "+" || s == "-") && x.signAt(i) {
		v.sign = 1
		if s == "-" {
			v.sign = -1
		}
		i++
	}
	if s := x.text(i); (s == "plus" || s == "minus") && i+1 < len(x.toks) && !x.endsValue(i-1) && (x.toks[i+1].kind == tNum || x.decimalWords(i+1)) {
		v.sign = 1
		if s == "minus" {
			v.sign = -1
		}
		i++
	}
	if x.text(i) == "$" && i+1 < len(x.toks) && (x.toks[i+1].kind == tNum || x.toks[i+1].kind == tFrac) {
		v.unit = uDollar
		i++
	} else if x.text(i) == "usd" && i+1 < len(x.toks) && x.toks[i+1].kind == tNum && x.text(i+2) != "m" && x.text(i+2) != "c" {
		v.unit = uDollar
		i++
	}
	n := x.amount(i, &v)
	if n == 0 {
		return value{}, 0
	}
	i += n
	if v.unit == uOrd || v.unit == uDecade || v.unit == uTimes || v.unit == uClock || v.unit == uTime {
		if v.unit == uTime {
			i = x.moreTime(i, &v)
		}
		return v, i - start
	}
	i = x.unitAt(i, &v)
	return v, i - start
}

// signAt reports whether the plus or minus at i belongs to a number behind it.
func (x *reader) signAt(i int) bool {
	if i+1 >= len(x.toks) || x.toks[i+1].space {
		return false
	}
	if !x.toks[i].space && i > 0 {
		switch x.text(i - 1) {
		case "(", "[", "'", "{", ";", ":", "=", "@", ",", "/", "<", ">", "<=", ">=", "\n", "\"":
		default:
			if x.toks[i-1].kind != tWord || x.endsValue(i-1) {
				return false
			}
		}
	}
	next := x.toks[i+1]
	return next.kind == tNum || next.text == "$"
}

// amount reads the bare number at token i into v and returns how many tokens
// it takes.
func (x *reader) amount(i int, v *value) int {
	if i >= len(x.toks) {
		return 0
	}
	k := x.toks[i]
	if n, ok := multiples[k.text]; ok && v.sign == 0 && v.unit == uNone {
		v.unit, v.n, v.words = uTimes, n*micro, true
		return 1
	}
	switch k.kind {
	case tFrac:
		v.unit, v.num, v.den = uFrac, int16(k.num>>4), int16(k.num&15)
		return 1
	case tNum:
		return x.digits(i, v)
	case tWord:
		n := x.wordNumber(i, v)
		if n > 0 {
			v.words = true
		}
		return n
	}
	return 0
}

// digits reads a number in digits, with what may follow it: k, a fraction,
// hundred, thousand, million, dozen.
func (x *reader) digits(i int, v *value) int {
	k := x.toks[i]
	v.n, v.dec, v.comma = k.num, k.dec, k.comma
	n := 1
	if n := x.colonTime(i, v); n > 0 {
		return n
	}
	if x.text(i+1) == ":" && x.text(i+2) == "1" && !x.toks[i+1].space && !x.toks[i+2].space && v.sign == 0 { // 2:1
		v.unit = uTimes
		return 3
	}
	if x.text(i+1) == "/" && i+2 < len(x.toks) && x.toks[i+2].kind == tNum && !x.toks[i+1].space && !x.toks[i+2].space {
		num, den := k.num/micro, x.toks[i+2].num/micro
		if k.dec == 0 && x.toks[i+2].dec == 0 && num > 0 && num < den && den <= 12 && x.text(i+3) != "/" {
			v.unit, v.num, v.den = uFrac, int16(num), int16(den)
			return 3
		}
	}
	if i+1 < len(x.toks) && x.toks[i+1].kind == tFrac && k.dec == 0 && v.n >= 0 {
		f := x.toks[i+1].num
		if part := (f >> 4) * micro; part%(f&15) == 0 {
			v.n += part / (f & 15)
			v.dec = 2
			return 2
		}
	}
	if i+3 < len(x.toks) && k.dec == 0 && x.toks[i+1].kind == tNum && x.toks[i+1].space && x.text(i+2) == "/" && x.toks[i+3].kind == tNum && !x.toks[i+3].space {
		num, den := x.toks[i+1].num/micro, x.toks[i+3].num/micro
		if num > 0 && num < den && den <= 8 && num*micro%den == 0 && v.n >= 0 {
			v.n += num * micro / den
			v.dec = 2
			return 4
		}
	}
	if next := x.text(i + n); n < len(x.toks)-i && !x.toks[i+n].space && next == "k" {
		v.scale(1000)
		n++
	} else if v.unit == uDollar && next == "m" && !x.toks[i+n].space {
		v.scale(1_000_000)
		n++
	} else if times, ok := bigNumbers[next]; ok && x.toks[i+n].kind == tWord {
		v.scale(times)
		n++
	}
	if v.unit == uNone && v.dec == 0 && i > 0 && x.text(i+n) == "s" && !x.toks[i+n].space && x.decade(i, v) {
		n++
	} else if v.unit == uNone && v.dec == 0 && i > 0 && x.text(i+n) == "'s" && x.decade(i, v) {
		n++
	}
	return n
}

// colonTime reads 2:30 as minutes and seconds where it is left or gone, else as
// an hour of the day.
func (x *reader) colonTime(i int, v *value) int {
	if x.text(i+1) != ":" || i+2 >= len(x.toks) || x.toks[i+1].space || x.toks[i+2].space || x.toks[i+2].kind != tNum ||
		len(x.toks[i+2].text) != 2 || x.toks[i].dec != 0 || x.toks[i+2].num >= 60*micro || v.n < 0 || v.n > 1440*micro {
		return 0
	}
	j := i + 3
	if x.text(j) == "min" || x.text(j) == "minutes" || x.text(j) == "mins" {
		j++
	}
	switch x.text(j) {
	case "left", "remaining", "to", "into", "in", "elapsed", "mark", "gone", "remain", "before":
		v.unit, v.n, v.size = uTime, v.n*60+x.toks[i+2].num, 1
	default:
		v.unit = uClock
	}
	return j - i
}

// decade reads "the 40s", at the number, as a range of prices.
func (x *reader) decade(i int, v *value) bool {
	if tens := v.n / micro; tens%10 != 0 || tens < 10 || tens > 90 {
		return false
	}
	switch x.text(i - 1) {
	case "the":
		switch x.text(i - 2) {
		case "last", "first", "final", "within", "after", "before":
			return false
		}
		switch x.text(i + 2) {
		case "mark", "window", "left", "remaining", "point", "period", "timer", "into", "before", "after":
			return false
		}
	case "low", "lower":
		v.sub = 1
	case "mid", "middle":
		v.sub = 2
	case "high", "upper":
		v.sub = 3
	default:
		return false
	}
	v.unit = uDecade
	return true
}

func (v *value) scale(times int64) {
	if v.n < 0 || v.n > maxWhole*micro/times {
		v.n = -1
		return
	}
	v.n *= times
}

// unitAt reads the unit behind a number and returns the token after it.
func (x *reader) unitAt(i int, v *value) int {
	j := x.skipHyphen(i)
	for j < len(x.toks) && x.toks[j].kind == tWord && isNoise(x.toks[j].text) {
		j++
	}
	if j >= len(x.toks) {
		return i
	}
	k := x.toks[j]
	glued := !k.space
	if glued && j == i {
		switch k.text {
		case "st", "nd", "rd", "th":
			if v.unit == uNone && v.dec == 0 {
				v.unit = uOrd
				return j + 1
			}
		}
	}
	if v.unit == uFrac {
		return x.fractionOfUnit(i, v)
	}
	word := k.text
	u, ok := unitWords[word]
	switch {
	case !ok:
		switch {
		case word == "basis" && (x.text(j+1) == "points" || x.text(j+1) == "point"),
			word == "per" && x.text(j+1) == "cent",
			word == "percentage" && x.text(j+1) == "points":
			v.unit = uPct
			return j + 2
		case (word == "us" || word == "u.s") && (x.text(j+1) == "dollars" || x.text(j+1) == "dollar") && v.unit == uNone:
			v.unit = uDollar
			return j + 2
		}
		return i
	case v.unit == uDollar && u.unit != uPct:
		if word == "usd" || word == "dollars" || word == "bucks" {
			return j + 1
		}
		return i
	case word == "s" && x.text(j+1) == "." && x.text(j+2) == "t": // s.t.
		return i
	case word == "x" && !glued, word == "second" && !x.secondIsUnit(j), word == "$" && !glued, word == "d" && !glued:
		return i
	case word == "contract" || word == "contracts" || word == "token" || word == "tokens" || word == "share" || word == "tickets":
		if v.n == micro || v.n < 0 {
			return i
		}
	case word == "point" && x.decimalWords(j+1):
		return i
	case word == "min" && v.unit != uNone:
		return i
	}
	return x.apply(i, j, u.unit, u.times, v)
}

// apply gives v the unit at token j.
func (x *reader) apply(i, j int, u unit, times int64, v *value) int {
	word := x.toks[j].text
	v.unit = u
	switch u {
	case uPct:
		if word == "percentage" && (x.text(j+1) == "points" || x.text(j+1) == "point") {
			j++
		}
	case uTime:
		v.compact = !v.words && !x.toks[j].space && len(word) == 1 && j == i
		v.size = times
		v.scale(times)
		if v.n > 86400*micro || v.n < 0 {
			v.unit = uDays
		}
		return x.moreTime(j+1, v)
	case uCent:
		v.scale(times)
	}
	return j + 1
}

// secondIsUnit reports whether "second" at j counts time: "30 second", "one
// second", not "one second half".
func (x *reader) secondIsUnit(j int) bool {
	switch x.text(j + 1) {
	case "half", "third", "quarter":
		return false
	}
	return true
}

// moreTime reads smaller units behind a duration: "1 minute 30 seconds",
// "1m30s", "a minute and a half".
func (x *reader) moreTime(i int, v *value) int {
	if v.unit != uTime {
		return i
	}
	j := i
	joined := x.text(j) == "and"
	if joined {
		j++
	}
	if joined && x.text(j) == "a" && (x.text(j+1) == "half" || x.text(j+1) == "quarter") {
		size := unitOfDuration(v.n)
		part := int64(2)
		if x.text(j+1) == "quarter" {
			part = 4
		}
		if size > 0 && size%part == 0 {
			v.n += size / part
			return j + 2
		}
	}
	if joined && x.betweenBefore(i) {
		return i
	}
	var w value
	n := x.amount(j, &w)
	if n == 0 || w.unit != uNone || w.n < 0 {
		return i
	}
	k := x.skipHyphen(j + n)
	u, ok := unitWords[x.text(k)]
	if !ok || u.unit != uTime || w.n*u.times >= unitOfDuration(v.n) || u.times == 0 {
		return i
	}
	if joined {
		// "in 1 minute and 20 seconds or less are left": two times.
		first := i - 2
		if x.hyphen(first) {
			first--
		}
		for b := first - 1; b >= 0 && b >= first-2; b-- {
			switch x.text(b) {
			case "in", "last", "past", "within", "over", "during":
				switch x.text(k + 1) {
				case "left", "remaining", "remain", "are", "or", "have", "has":
					return i
				}
			}
		}
	}
	switch x.text(k + 1) {
	case "left", "remaining", "market", "markets", "round", "rounds", "btc", "eth", "bitcoin":
		if joined || x.toks[j].space && v.compact {
			return i
		}
	}
	v.n += w.n * u.times
	v.compact, v.size = false, u.times
	return k + 1
}

// betweenBefore reports whether "between" or "from" stands before token i.
func (x *reader) betweenBefore(i int) bool {
	for j := i - 1; j >= 0 && j >= i-6; j-- {
		if s := x.text(j); s == "between" || s == "from" {
			return true
		}
	}
	return false
}

// unitOfDuration returns the largest of hour, minute and second that divides
// the duration, in units of 1e-6 s.
func unitOfDuration(n int64) int64 {
	for _, u := range []int64{86400, 3600, 60, 1} {
		if n > 0 && n%(u*micro) == 0 {
			return u * micro
		}
	}
	return 0
}

// fractionOfUnit reads what a fraction is of: "half an hour", "three quarters
// of a minute", "half a cent". Otherwise it stays a fraction.
func (x *reader) fractionOfUnit(i int, v *value) int {
	j := x.skipHyphen(i)
	if x.text(j) == "of" {
		j++
	}
	if s := x.text(j); s == "a" || s == "an" {
		j++
	} else if j != i && x.text(i) == "of" {
		return i
	}
	u, ok := unitWords[x.text(j)]
	if !ok {
		if times, big := bigNumbers[x.text(j)]; big && times*int64(v.num)%int64(v.den) == 0 && j > i {
			v.unit, v.n = uNone, times*int64(v.num)/int64(v.den)*micro
			return x.unitAt(j+1, v)
		}
		return i
	}
	switch u.unit {
	case uTime, uCent, uDollar:
	case uPct:
		v.unit, v.n = uPct, 0
		return j + 1
	default:
		return i
	}
	total := int64(v.num) * u.times * micro
	if total%int64(v.den) != 0 || len(x.text(j)) == 1 {
		return i
	}
	v.n, v.unit, v.dec, v.size = total/int64(v.den), u.unit, 2, u.times
	return j + 1
}
