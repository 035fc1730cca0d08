package lexicon

// wordNumber reads a number written in words at token i into v and returns how
// many tokens it takes.
func (x *reader) wordNumber(i int, v *value) int {
	w := x.word(i)
	if tens, ok := decadeWords[w]; ok {
		v.unit, v.n = uDecade, tens*micro
		if w == "teens" || w == "tens" {
			return 0
		}
		return 1
	}
	if n := x.oneOf(i, v); n > 0 {
		return n
	}
	if den, ok := fractionWords[w]; ok && (w == "half" || w == "quarter") {
		if w == "half" && (x.text(i+1) == "a" || x.text(i+1) == "an") && x.text(i+2) == "dozen" {
			v.n = 6 * micro
			return 3
		}
		v.unit, v.num, v.den = uFrac, 1, den
		return 1
	}
	if n, ok := ordinalWords[w]; ok {
		v.unit, v.n = uOrd, n*micro
		return 1
	}
	if w == "second" && x.ordinalSecond(i) {
		v.unit, v.n = uOrd, 2*micro
		return 1
	}
	if w == "point" && x.decimalWords(i+1) {
		return x.afterPoint(i, 0, v)
	}
	return x.cardinal(i, v)
}

// oneOf reads "a" before a unit or a large number: a minute, a dime, a
// hundred, a third.
func (x *reader) oneOf(i int, v *value) int {
	w := x.text(i)
	if w != "a" && w != "an" {
		return 0
	}
	next := x.text(x.skipHyphen(i + 1))
	if times, ok := bigNumbers[next]; ok && next != "dozens" {
		v.n = times * micro
		return x.tail(i, i+2, times, v)
	}
	if den, ok := fractionWords[next]; ok {
		switch x.text(i + 2) {
		case "hour", "minute", "second":
			return 0 // a half hour: read without the article
		}
		v.unit, v.num, v.den = uFrac, 1, den
		return 2
	}
	u, ok := unitWords[next]
	if !ok || len(next) < 3 || x.toks[i+1].kind != tWord {
		return 0
	}
	switch u.unit {
	case uTime:
		if next == "second" && x.ordinalSecond(i+1) || next == "min" {
			return 0
		}
		if s := x.text(i + 2); s == "mark" {
			return 0
		}
	case uCent:
	case uDollar:
		if next == "usd" || next == "bux" {
			return 0
		}
	case uDays:
	default:
		return 0
	}
	v.n = micro
	return 1
}

// ordinalSecond reports whether "second" at i counts: second minute, second
// half.
func (x *reader) ordinalSecond(i int) bool {
	switch x.text(i + 1) {
	case "minute", "half", "third", "quarter", "hour", "round":
	default:
		return false
	}
	return i == 0 || x.toks[i-1].kind != tNum
}

// cardinal reads zero, forty-two, two hundred and fifty, ten million, one and
// a half.
func (x *reader) cardinal(i int, v *value) int {
	n, total, group := 0, int64(0), int64(0)
	room := int64(0) // what may still be added: below ten after tens, below a hundred after hundreds
	for {
		j := i + n
		skip := 0
		if n > 0 {
			skip = x.skipHyphen(j) - j
			if skip == 0 && x.text(j) == "and" && (room >= 100) && n > 0 {
				skip = 1
			}
		}
		w := x.word(j + skip)
		if n > 0 && skip == 0 && room >= 100 && x.hyphen(j+1) {
			if u, ok := unitWords[x.text(j+2)]; ok && u.unit == uTime {
				break // three hundred fifteen-minute rounds
			}
		}
		if small, ok := smallNumbers[w]; ok && (n == 0 || room > small && small > 0) {
			if n == 0 && w == "one" && !x.oneIsNumber(i) {
				return 0
			}
			group += small
			switch {
			case small >= 20:
				room = 10
			default:
				room = 0
			}
			n += skip + 1
			continue
		}
		big, ok := bigNumbers[w]
		if !ok || n == 0 || skip > 0 && x.text(j) == "and" || big == 100 && group >= 100 || w == "dozens" {
			break
		}
		if big == 100 {
			group *= 100
			room = 100
		} else {
			if total > maxWhole || group*big > maxWhole {
				v.n = -1
				return n + skip + 1
			}
			total += group * big
			group = 0
			room = min(big, 1000)
		}
		n += skip + 1
	}
	if n == 0 {
		return 0
	}
	v.n = (total + group) * micro
	if x.text(i+n) == "point" && x.decimalWords(i+n+1) {
		return x.afterPoint(i+n, total+group, v) + n
	}
	if x.text(i+n) == "and" && x.text(i+n+1) == "a" && (x.text(i+n+2) == "half" || x.text(i+n+2) == "quarter") {
		v.n += micro / 2
		if x.text(i+n+2) == "quarter" {
			v.n -= micro / 4
		}
		v.dec = 2
		return n + 3
	}
	if den, ok := fractionWords[x.text(x.skipHyphen(i+n))]; ok && total+group < 12 && x.text(x.skipHyphen(i+n)) != "half" {
		num := int16(total + group)
		if num > 0 && num <= den {
			v.unit, v.num, v.den = uFrac, num, den
			return x.skipHyphen(i+n) + 1 - i
		}
	}
	return n
}

// tail reads what may follow "a hundred": and fifty.
func (x *reader) tail(i, j int, times int64, v *value) int {
	if times != 100 && times != 1000 {
		return j - i
	}
	k := j
	if x.text(k) == "and" {
		k++
	}
	if k == j && x.text(k) != "" && x.toks[k].kind != tWord {
		return j - i
	}
	if _, ok := smallNumbers[x.text(k)]; !ok || x.text(k) == "one" {
		if times == 100 {
			if t, big := bigNumbers[x.text(j)]; big && t != 100 {
				v.scale(t)
				return j + 1 - i
			}
		}
		return j - i
	}
	var more value
	n := x.cardinal(k, &more)
	if n == 0 || more.unit != uNone || more.n >= times*micro || more.n < 0 {
		return j - i
	}
	v.n += more.n
	return k + n - i
}

// oneIsNumber reports whether "one" at i is a number and not a pronoun.
func (x *reader) oneIsNumber(i int) bool {
	j := x.skipHyphen(i + 1)
	next := x.text(j)
	if _, ok := unitWords[next]; ok && next != "second" || next == "second" && !x.ordinalSecond(j) {
		return x.toks[j].kind != tSym || next == "%" || next == "¢"
	}
	if _, ok := bigNumbers[next]; ok {
		return true
	}
	if _, ok := fractionWords[next]; ok {
		return true
	}
	switch next {
	case "and":
		return x.text(j+1) == "a" && (x.text(j+2) == "half" || x.text(j+2) == "quarter")
	case "point":
		return x.decimalWords(j + 1)
	case "market", "markets", "round", "sample", "trade", "trades", "window":
		return true
	}
	return x.text(i-1) == "minute"
}

// decimalWords reports whether digits in words stand at i.
func (x *reader) decimalWords(i int) bool {
	n, ok := smallNumbers[x.text(i)]
	return ok && n < 100
}

// afterPoint reads the digits in words behind "point" at i: three five, or
// thirty-five.
func (x *reader) afterPoint(i int, whole int64, v *value) int {
	n, frac, scale := 1, int64(0), int64(micro)
	for {
		w := x.text(i + n)
		d, ok := smallNumbers[w]
		if !ok {
			break
		}
		if d >= 10 && n == 1 {
			frac, scale = d*micro/100, micro/100
			n++
			if u, ok := smallNumbers[x.text(x.skipHyphen(i+n))]; ok && d >= 20 && u > 0 && u < 10 {
				frac += u * micro / 100
				n = x.skipHyphen(i+n) + 1 - i
			}
			break
		}
		if d >= 10 || scale < 10 {
			break
		}
		scale /= 10
		frac += d * scale
		n++
	}
	v.n, v.dec = whole*micro+frac, 2
	return n
}
