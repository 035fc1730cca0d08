package grammar

// tells reports whether the everyday words of other things in a sentence are told
// in stories; then they make no rule there.
func (c *chart) tells(p []flags, i, j int32) bool {
	if !c.telling {
		return false
	}
	for from := i; from < j; from++ {
		to := from
		for to < j && p[to]&isComma == 0 {
			to++
		}
		if all := either(p, from, to); all&isTold != 0 {
			const no = isToken | isWeak | isKeyed | isOdd | isNegated | isAmount | isQuantity
			if all&no != 0 || !c.isStory(p, all, from, to) {
				return false
			}
		}
		from = to
	}
	return true
}

// isStory reports whether the clause [i, j) greets somebody, is about a person or
// of the past, or is a note of something, and asks for nothing; all is what its
// tokens may be.
func (c *chart) isStory(p []flags, all flags, i, j int32) bool {
	said, head := all&isUnknown != 0, c.behind("openers", i, j)
	greets := c.is("greetings", head, j)
	for k := head + greets; k < j; k++ {
		if p[k]&isTold == 0 && c.is("asked", k, j) > 0 {
			return false
		}
		said = said || c.is("speakers", k, j) > 0
	}
	who := c.behind("before persons", head, j)
	person, feels, past := c.is("persons", who, j) > 0, c.any("feelings", head+1, j), said && c.isPast(head, j)
	switch {
	case all&isHabit != 0:
		return person && feels
	case all&isTalk == 0 && greets > 0:
		return true
	}
	for k := i; k < j; k++ {
		if n := c.is("for", k, j); n > 0 && k+n < j && p[k+n]&isTold != 0 {
			return false
		}
	}
	noted := c.is("noted", head, j) > 0 && c.is("froms", head+1, j) > 0 || p[max(i, j-2)]&isTold != 0 && c.is("noted", j-1, j) > 0
	return person && (all&isUnknown != 0 || feels || past) || past && p[head]&isTold == 0 ||
		all&isTalk == 0 && (noted || c.is("participles", head, j) > 0)
}

// isPast reports whether the clause that is said from head on, before j, is of the
// past.
func (c *chart) isPast(head, j int32) bool {
	for k := head + 1; k < j; k++ {
		if c.is("past", k, j) > 0 || c.is("past of somebody", k, j) > 0 && c.is("somebody", k-1, k) > 0 {
			return true
		}
	}
	return false
}

// any reports whether a word or a phrase of a list is in [i, j).
func (c *chart) any(list string, i, j int32) bool {
	for k := i; k < j; k++ {
		if c.is(list, k, j) > 0 {
			return true
		}
	}
	return false
}

// behind is the first token from i on that begins no word of a list.
func (c *chart) behind(list string, i, j int32) int32 {
	for n := c.is(list, i, j); n > 0; n = c.is(list, i, j) {
		i += n
	}
	return i
}

// is returns how many tokens from i on, before j, are a word or a phrase of a
// list; 0: none are.
func (c *chart) is(list string, i, j int32) int32 {
	words := sets[list]
	said := ""
	for k := i; k < min(j, i+4); k++ {
		said += c.x.Word(k)
		if words[said] {
			return k + 1 - i
		}
		said += " "
	}
	return 0
}

// anyTold reports whether an everyday word of other things is in the prompt.
func (c *chart) anyTold() bool {
	for i := range c.x.Lexemes {
		if c.g.entryClass[c.x.Lexemes[i].Entry] == classTold {
			return true
		}
	}
	return false
}

// obliges reports whether a sentence asks for something vague: it says what must
// be, how to trade, or no more than how the market is; or it is a key; or it says
// of a coin how it moves.
func (c *chart) obliges(p []flags, all flags, i, j int32) bool {
	if j < c.n && c.isSep(j) && c.is("unread keys", j-1, j) > 0 || all&isCoin != 0 && c.coinMoves(p, i, j) {
		return true
	}
	if all&isVague == 0 || all&isUnknown != 0 {
		return false
	}
	bare := true
	for k := i; k < j; k++ {
		if c.is("obliging", k, j) > 0 {
			return true
		}
		bare = bare && (p[k]&(isVague|isView) == isVague || p[k]&(isQuantity|isRound) != 0 || k == i && p[k]&isWeak != 0)
	}
	return bare
}

// coinMoves reports whether a coin in [i, j) is said to move or to be compared.
func (c *chart) coinMoves(p []flags, i, j int32) bool {
	coin := false
	for k := i; k < j; k++ {
		switch {
		case p[k]&isCoin != 0 && p[k]&(isAmount|isIdiom) == 0:
			coin = true
		case coin && p[k]&(isMove|isOrder) != 0:
			return true
		case p[k]&isPlain == 0:
			coin = false
		}
	}
	return false
}
