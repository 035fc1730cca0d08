package lexicon

// AllEntries writes out every meaning that a lexeme can have, and returns [Entries].
func AllEntries() []*Entry {
	x := theTable()
	for w := range x.words {
		if s := x.stem(w); s != nil {
			x.all(s)
		}
	}
	return x.entries
}

// all makes the stems behind one, and counts them with it.
func (x *table) all(s *stem) int {
	x.step(s, "")
	n := 1
	for _, behind := range s.next {
		n += x.all(behind)
	}
	return n
}
