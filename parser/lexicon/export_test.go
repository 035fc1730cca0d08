package lexicon

// Check reports what is wrong with the embedded files of phrases.
func Check() error {
	_, err := buildTable()
	return err
}
