package block

// ReadHeader returns the header of the block in data, without checking the
// block's checksum.
func ReadHeader(data []byte) (Header, error) {
	h, _, err := parseHeader(data)
	return h, err
}
