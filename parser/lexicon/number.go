package lexicon

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

// glued reports whether a token stands at i without white space before it.
func (x *reader) glued(i int) bool { return i < len(x.toks) && !x.toks[i].space }

// number reads a number with its unit at token i and returns how many tokens
// it takes, 0 when there is none.
func (x *reader) number(i int) (value, int) {
	start, v := i, value{}
	if v.sign = x.signAt(i); v.sign != 0 {
		i++
	}
	if x.currencyAt(i) {
		v.unit = uDollar
		i++
	}
	n := x.amount(i, &v)
	if n == 0 {
		return value{}, 0
	}
	i += n
	switch v.unit {
	case uOrd, uDecade, uTimes, uClock:
	case uTime:
		i = x.moreTime(i, &v)
	default:
		i = x.unitAt(i, &v)
	}
	return v, i - start
}

// signAt returns the sign of the number behind token i, +1 or -1, when that is
// one.
func (x *reader) signAt(i int) int8 {
	switch {
	case x.text(i) == "+" && x.signs(i), x.text(i) == "plus" && x.signsWord(i):
		return 1
	case x.text(i) == "-" && x.signs(i), x.text(i) == "minus" && x.signsWord(i):
		return -1
	}
	return 0
}

// signs reports whether the plus or minus at i belongs to a number behind it.
func (x *reader) signs(i int) bool {
	if !x.glued(i + 1) {
		return false
	}
	if !x.toks[i].space && i > 0 && !x.is(i-1, "(", "[", "{", "'", ";", ":", "=", "@", ",", "/", "<", ">", "<=", ">=", "\n", "\"") && (x.word(i-1) == "" || x.endsValue(i-1)) {
		return false
	}
	return x.isNum(i+1) || x.text(i+1) == "$"
}

func (x *reader) signsWord(i int) bool {
	return !x.endsValue(i-1) && (x.isNum(i+1) || x.decimalWords(i+1))
}

// currencyAt reports whether a dollar sign or its name stands before a number.
func (x *reader) currencyAt(i int) bool {
	switch x.text(i) {
	case "$":
		return x.isNum(i+1) || i+1 < len(x.toks) && x.toks[i+1].kind == tFrac
	case "usd":
		return x.isNum(i+1) && !x.is(i+2, "m", "c")
	}
	return false
}

// amount reads the bare number at token i into v and returns how many tokens
// it takes.
func (x *reader) amount(i int, v *value) int {
	if i >= len(x.toks) {
		return 0
	}
	k := &x.toks[i]
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
		v.words = v.words || n > 0
		return n
	}
	return 0
}

// digits reads a number in digits, with what may follow it: k, a fraction,
// hundred, thousand, million, dozen.
func (x *reader) digits(i int, v *value) int {
	v.n, v.dec = x.toks[i].num, x.toks[i].dec
	for _, form := range [...]func(*reader, int, *value) int{(*reader).colonTime, (*reader).toOne, (*reader).slashed, (*reader).mixed} {
		if n := form(x, i, v); n > 0 {
			return n
		}
	}
	n := 1
	if times := x.multiplier(i+1, v); times > 0 {
		v.scale(times)
		n = 2
	}
	if s := x.text(i + n); v.unit == uNone && v.dec == 0 && i > 0 && (s == "s" && x.glued(i+n) || s == "'s") && x.decade(i, v) {
		n++
	}
	return n
}

// multiplier is what the token at i behind digits multiplies them by, 0 for no
// such token.
func (x *reader) multiplier(i int, v *value) int64 {
	switch s := x.text(i); {
	case s == "k" && x.glued(i):
		return 1000
	case s == "m" && x.glued(i) && v.unit == uDollar:
		return 1_000_000
	default:
		return bigNumbers[s]
	}
}

// toOne reads 2:1.
func (x *reader) toOne(i int, v *value) int {
	if x.text(i+1) != ":" || x.text(i+2) != "1" || !x.glued(i+1) || !x.glued(i+2) || v.sign != 0 {
		return 0
	}
	v.unit = uTimes
	return 3
}

// slashed reads 1/3.
func (x *reader) slashed(i int, v *value) int {
	if x.text(i+1) != "/" || !x.isNum(i+2) || !x.glued(i+1) || !x.glued(i+2) || x.text(i+3) == "/" || v.dec != 0 || x.toks[i+2].dec != 0 {
		return 0
	}
	num, den := v.n/micro, x.toks[i+2].num/micro
	if num <= 0 || num >= den || den > 12 {
		return 0
	}
	v.unit, v.num, v.den = uFrac, int16(num), int16(den)
	return 3
}

// mixed reads 2½ and 2 1/2.
func (x *reader) mixed(i int, v *value) int {
	if i+1 >= len(x.toks) || v.dec != 0 || v.n < 0 {
		return 0
	}
	n, num, den := 0, int64(0), int64(1)
	switch k := &x.toks[i+1]; {
	case k.kind == tFrac:
		n, num, den = 2, k.num>>4, k.num&15
	case k.kind == tNum && k.space && x.text(i+2) == "/" && x.isNum(i+3) && x.glued(i+3):
		n, num, den = 4, k.num/micro, x.toks[i+3].num/micro
		if num <= 0 || num >= den || den > 8 {
			return 0
		}
	}
	if n == 0 || num*micro%den != 0 {
		return 0
	}
	v.n += num * micro / den
	v.dec = 2
	return n
}

// colonTime reads 2:30 as minutes and seconds where it is left or gone, else as
// an hour of the day.
func (x *reader) colonTime(i int, v *value) int {
	if x.text(i+1) != ":" || !x.isNum(i+2) || !x.glued(i+1) || !x.glued(i+2) || len(x.toks[i+2].text) != 2 ||
		v.dec != 0 || x.toks[i+2].num >= 60*micro || v.n < 0 || v.n > 1440*micro {
		return 0
	}
	j := i + 3
	if x.is(j, "min", "minutes", "mins") {
		j++
	}
	v.unit = uClock
	if x.is(j, "left", "remaining", "to", "into", "in", "elapsed", "mark", "gone", "remain", "before") {
		v.unit, v.n, v.size = uTime, v.n*60+x.toks[i+2].num, 1
	}
	return j - i
}

// decadeParts are the words before a decade that name a part of it.
var decadeParts = map[string]int8{"the": 0, "low": 1, "lower": 1, "mid": 2, "middle": 2, "high": 3, "upper": 3}

// decade reads "the 40s", at the number, as a range of prices.
func (x *reader) decade(i int, v *value) bool {
	if tens := v.n / micro; tens%10 != 0 || tens < 10 || tens > 90 {
		return false
	}
	part, ok := decadeParts[x.text(i-1)]
	if !ok || part == 0 && (x.is(i-2, "last", "first", "final", "within", "after", "before") ||
		x.is(i+2, "mark", "window", "left", "remaining", "point", "period", "timer", "change", "move", "return", "into", "before", "after")) {
		return false
	}
	v.sub, v.unit = part, uDecade
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
	for x.word(j) != "" && isNoise(x.toks[j].text) {
		j++
	}
	switch {
	case j >= len(x.toks):
		return i
	case j == i && v.unit == uNone && v.dec == 0 && x.glued(i) && x.is(i, "st", "nd", "rd", "th"):
		v.unit = uOrd
		return i + 1
	case v.unit == uFrac:
		return x.fractionOfUnit(i, v)
	}
	u, ok := unitWords[x.text(j)]
	switch {
	case !ok:
		return x.unitOfTwo(i, j, v)
	case v.unit == uDollar && u.unit != uPct:
		if x.is(j, "usd", "dollars", "bucks") {
			return j + 1
		}
		return i
	case x.noUnit(j, v):
		return i
	}
	return x.apply(i, j, u, v)
}

// unitOfTwo reads a unit of two words at j: basis points, per cent, US dollars.
func (x *reader) unitOfTwo(i, j int, v *value) int {
	switch {
	case x.text(j) == "basis" && x.is(j+1, "points", "point"), x.text(j) == "per" && x.text(j+1) == "cent":
		v.unit = uPct
	case x.is(j, "us", "u.s") && x.is(j+1, "dollars", "dollar") && v.unit == uNone:
		v.unit = uDollar
	default:
		return i
	}
	return j + 2
}

// noUnit reports whether a word that may be a unit is none behind this number.
func (x *reader) noUnit(j int, v *value) bool {
	switch x.text(j) {
	case "s":
		return x.text(j+1) == "." && x.text(j+2) == "t" // s.t.
	case "x", "d":
		return !x.glued(j)
	case "$": // "10 $"
		return !x.glued(j) && (x.isNum(j+1) || x.gluedWord(j+1))
	case "second":
		return x.is(j+1, "half", "third", "quarter") // of the round
	case "contract", "contracts", "tokens", "share", "tickets":
		return v.n == micro || v.n < 0
	case "point":
		return x.decimalWords(j + 1)
	case "min":
		return v.unit != uNone
	case "usd":
		return x.is(j+1, "=", ":") // a key
	}
	return false
}

// apply gives v the unit at token j.
func (x *reader) apply(i, j int, u unitWord, v *value) int {
	v.unit = u.unit
	switch u.unit {
	case uPct:
		if x.text(j) == "percentage" && x.is(j+1, "points", "point") {
			j++
		}
	case uTime:
		v.compact = !v.words && x.glued(j) && len(x.text(j)) == 1 && j == i
		v.size = u.times
		v.scale(u.times)
		if v.n > 86400*micro || v.n < 0 {
			v.unit = uDays
		}
		return x.moreTime(j+1, v)
	case uCent:
		v.scale(u.times)
	}
	return j + 1
}

// moreTime reads smaller units behind a duration: "1 minute 30 seconds",
// "1m30s", "a minute and a half".
func (x *reader) moreTime(i int, v *value) int {
	if v.unit != uTime {
		return i
	}
	size := unitOfDuration(v.n)
	if part := x.halfMore(i); part > 0 && size > 0 && size%part == 0 {
		v.n += size / part
		return i + 3
	}
	if x.plainHalf(i) && size > micro {
		v.n += size / 2
		return i + 2
	}
	j, joined := i, x.text(i) == "and"
	if joined {
		j++
	}
	var w value
	n := x.amount(j, &w)
	if n == 0 || w.unit != uNone || w.n < 0 {
		return i
	}
	k := x.skipHyphen(j + n)
	if u := x.unit(k); u.unit != uTime || w.n*u.times >= size || x.otherTime(i, j, k, v) {
		return i
	}
	v.n += w.n * x.unit(k).times
	v.compact, v.size = false, x.unit(k).times
	return k + 1
}

// otherTime reports whether the duration in [j, k], behind one that ends at i,
// is another one: "between 1 minute and 30 seconds", "in 1 minute and 20 seconds
// or less are left".
func (x *reader) otherTime(i, j, k int, v *value) bool {
	if joined := j > i; joined {
		for b := i - 1; b >= 0 && b >= i-6; b-- {
			if x.is(b, "between", "from") {
				return true
			}
		}
		first := i - 2
		if x.hyphen(first) {
			first--
		}
		for b := first - 1; b >= 0 && b >= first-2; b-- {
			if x.is(b, "in", "last", "past", "within", "over", "during") && x.is(k+1, "left", "remaining", "remain", "are", "or", "have", "has") {
				return true
			}
		}
	} else if !x.toks[j].space || !v.compact {
		return false
	}
	return x.is(k+1, "left", "remaining", "market", "markets", "round", "rounds", "btc", "eth", "bitcoin")
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

// fractionOfUnit reads what a fraction is of: "half an hour", "three quarters
// of a minute", "half a cent". Otherwise it stays a fraction.
func (x *reader) fractionOfUnit(i int, v *value) int {
	j := x.skipHyphen(i)
	if x.text(j) == "of" {
		j++
	}
	if x.is(j, "a", "an") {
		j++
	} else if j != i && x.text(i) == "of" {
		return i
	}
	u, ok := unitWords[x.text(j)]
	if times := bigNumbers[x.text(j)]; !ok && times > 0 && times*int64(v.num)%int64(v.den) == 0 && j > i {
		v.unit, v.n = uNone, times*int64(v.num)/int64(v.den)*micro
		return x.unitAt(j+1, v)
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
