package backtest

// Intact reports whether r is what its receipt says: false for a report that
// was changed after it was made.
func (r *Report) Intact() bool {
	h, err := r.Hash()
	return err == nil && h == r.Receipt.Report
}
