package lexicon

// AllEntries writes out every meaning that a lexeme can have, and returns [Entries].
func AllEntries() []Entry {
	x := theTable()
	for w := range x.words {
		x.stem(w)
	}
	return x.entries
}
