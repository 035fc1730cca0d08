package parts

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
)

// What one process writes for another goes through a network and a table: it ends with a
// checksum, so that a bit that changed on the way makes an error instead of other numbers.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errChecksum: bytes are not those that were sealed.
var errChecksum = errors.New("its checksum is another")

// seal writes a value.
func seal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return binary.BigEndian.AppendUint32(b.Bytes(), crc32.Checksum(b.Bytes(), castagnoli)), err
}

// unseal reads what seal wrote of a value of that type.
func unseal(b []byte, to any) error {
	n := len(b) - crc32.Size
	if n < 0 || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return errChecksum
	}
	return gob.NewDecoder(bytes.NewReader(b[:n])).Decode(to)
}
