package archive

// KeptRows returns the bytes that the rows kept in memory are taken for, and how
// many rows there are.
func (a *Archive) KeptRows() (bytes, rows int) {
	r := a.memory.now.rows
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.old {
		bytes += v.bytes
	}
	for _, v := range r.young {
		bytes += v.bytes
	}
	return bytes, len(r.young) + len(r.old)
}

// KeptChunks returns how many chunks of prices are kept in memory.
func (a *Archive) KeptChunks() int {
	r := a.memory.mids
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.young) + len(r.old)
}
