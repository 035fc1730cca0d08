package block

// ReadHeader returns the header of the block in data, without checking the
// block's checksum.
func ReadHeader(data []byte) (Header, error) {
	h, _, err := parseHeader(data)
	return h, err
}

// Former returns o with blocks in version 1, which encoders do not write any more where
// there is another.
func Former(o Options) Options {
	o.former = true
	return o
}
