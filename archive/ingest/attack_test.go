package ingest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
)

// maxMemory is what docs/formats.md says that an import takes, whatever comes.
const maxMemory = 256 << 20

// pageOf is a page of a Parquet file.
type pageOf struct {
	column int
	format.PageHeader
	body []byte
}

// rewritten is a Parquet file without compression of which every page was changed:
// lengths, checksums and offsets are those of the changed pages, unless they are what
// was changed.
func rewritten(t testing.TB, data []byte, change func(p *pageOf)) []byte {
	t.Helper()
	proto := new(thrift.CompactProtocol)
	var out []byte
	return declaredWith(t, data, func(m *format.FileMetaData) []byte {
		out = []byte("PAR1")
		for g := range m.RowGroups {
			for i := range m.RowGroups[g].Columns {
				c := &m.RowGroups[g].Columns[i].MetaData
				require.Equal(t, format.Uncompressed, c.Codec)
				at := c.DataPageOffset
				if c.DictionaryPageOffset > 0 {
					at = c.DictionaryPageOffset
				}
				begin := len(out)
				for end := at + c.TotalCompressedSize; at < end; {
					p := pageOf{column: i}
					r := proto.NewReaderFromBytes(data[at:end])
					require.NoError(t, thrift.NewDecoder(r).Decode(&p.PageHeader))
					at += int64(r.BytesRead())
					p.body = bytes.Clone(data[at : at+int64(p.CompressedPageSize)])
					at += int64(p.CompressedPageSize)
					p.UncompressedPageSize, p.CompressedPageSize = 0, 0
					change(&p)
					for _, n := range []*int32{&p.UncompressedPageSize, &p.CompressedPageSize} {
						if *n == 0 {
							*n = int32(len(p.body))
						}
					}
					p.CRC = int32(crc32.ChecksumIEEE(p.body))
					head, err := thrift.Marshal(proto, &p.PageHeader)
					require.NoError(t, err)
					if p.Type == format.DictionaryPage {
						c.DictionaryPageOffset = int64(len(out))
					} else if c.DataPageOffset < int64(begin) || c.DictionaryPageOffset >= int64(begin) || at >= end {
						c.DataPageOffset = int64(len(out))
					}
					out = append(append(out, head...), p.body...)
				}
				c.TotalCompressedSize = int64(len(out) - begin)
			}
		}
		return out
	})
}

// declaredWith is a Parquet file with another footer, after other data.
func declaredWith(t testing.TB, data []byte, change func(m *format.FileMetaData) []byte) []byte {
	t.Helper()
	n := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	at := len(data) - 8 - n
	var m format.FileMetaData
	proto := new(thrift.CompactProtocol)
	require.NoError(t, thrift.Unmarshal(proto, data[at:at+n], &m))
	out := change(&m)
	footer, err := thrift.Marshal(proto, &m)
	require.NoError(t, err)
	out = append(out, footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return fmt.Append(out, "PAR1")
}

// longRun is the head of a run of 2^31-1 values.
var longRun = []byte{0xfe, 0xff, 0xff, 0xff, 0x0f}

// attacks are files made of a good one, and of one with pages of version 2: some by hand, which ask for very much, and n
// with changes at random, of bytes anywhere, of pages whose lengths and checksums
// still agree, of headers, and of the footer.
func attacks(t testing.TB, good, version2 []byte, n int) map[string][]byte {
	t.Helper()
	columns, hit := 0, 0
	rewritten(t, good, func(p *pageOf) { columns = max(columns, p.column+1) })
	out := map[string][]byte{
		"run of indexes": rewritten(t, good, func(p *pageOf) {
			if p.Type == format.DataPage && p.DataPageHeader.V.Encoding == format.RLEDictionary {
				levels := 4 + int(binary.LittleEndian.Uint32(p.body))
				p.body = append(append(p.body[:levels:levels], 1), append(longRun, 0)...)
				hit++
			}
		}),
		"run of levels": rewritten(t, good, func(p *pageOf) {
			if p.Type == format.DataPage {
				rest := p.body[4+int(binary.LittleEndian.Uint32(p.body)):]
				p.body = append(append([]byte{6, 0, 0, 0}, append(longRun, 1)...), rest...)
			}
		}),
		"long name": declared(t, good, func(m *format.FileMetaData) { m.Schema[1].Name = strings.Repeat("name", 25_000) }),
	}
	require.Greater(t, hit, columns/3, "pages of indexes")
	for i := range columns {
		for _, r := range []format.FieldRepetitionType{3, -1, format.Repeated} {
			out[fmt.Sprintf("repetition %d of column %d", r, i)] = declared(t, good, func(m *format.FileMetaData) {
				m.Schema[i+1].RepetitionType = thrift.New(r)
			})
		}
	}
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		var data []byte
		switch i % 4 {
		case 0:
			data = bytes.Clone(version2)
			spoil(r, data)
		case 1:
			data = rewritten(t, good, func(p *pageOf) {
				if r.IntN(4) == 0 {
					spoil(r, p.body)
				}
			})
		case 2:
			data = rewritten(t, good, func(p *pageOf) { lie(r, p) })
		default:
			data = bytes.Clone(good)
			footer := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
			spoil(r, data[len(data)-8-footer:len(data)-8])
		}
		out["random "+strconv.Itoa(i)] = data
	}
	return out
}

// spoil changes some bytes, often to those that numbers are large by.
func spoil(r *rand.Rand, b []byte) {
	if len(b) == 0 {
		return
	}
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b))
		switch r.IntN(3) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		default:
			copy(b[at:], longRun)
		}
	}
}

// lie changes a number in the header of a page.
func lie(r *rand.Rand, p *pageOf) {
	n := []int32{-1, 1, 1 << 20, 1 << 28, 1<<31 - 1}[r.IntN(5)]
	d := &p.DataPageHeader.V
	if p.Type == format.DictionaryPage {
		p.DictionaryPageHeader.V.NumValues = n
		return
	}
	switch r.IntN(6) {
	case 0:
		d.NumValues = n
	case 1:
		p.UncompressedPageSize = n
	case 2:
		d.Encoding = format.Encoding(r.IntN(11))
	case 3:
		d.DefinitionLevelEncoding = format.Encoding(r.IntN(11))
	case 4:
		p.Type = format.PageType(r.IntN(5))
	}
}

const (
	attackDir  = "LADDERBACK_TEST_ATTACK"
	attackTime = 30 * time.Second
)

// TestAttackedImport is what TestAttacks runs in a process of its own: it imports
// the files of a folder one by one, and writes what it took.
func TestAttackedImport(t *testing.T) {
	dir := os.Getenv(attackDir)
	if dir == "" {
		t.Skip("run by TestAttacks")
	}
	debug.SetGCPercent(60) // as the command does
	a := newArchive(t)
	run(t, a, ingest.Options{Paths: []string{write(t, "list.jsonl", list()), write(t, "markets.csv", lensMarkets())}})
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		ctx, cancel := context.WithTimeout(t.Context(), attackTime)
		before := peak(t)
		res, err := ingest.Run(ctx, a, ingest.Options{Paths: []string{f}})
		cancel()
		require.NoError(t, err, f)
		if p := peak(t); p > maxMemory {
			require.Fail(t, "too much memory", "%s: %d MiB, %d before", f, p>>20, before>>20)
		}
		for _, failed := range res.Failed() {
			require.Less(t, len(failed.Err.Error()), 3000, f)
			require.NotContains(t, failed.Err.Error(), "runtime error", f)
			require.NotContains(t, failed.Err.Error(), "out of range", f)
		}
	}
	t.Logf("%d files, %d MiB", len(files), peak(t)>>20)
}

// peak is the most memory that this process has held.
func peak(t testing.TB) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	require.True(t, ok)
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return n << 10
}

// TestAttacks: whatever a Parquet file of any format says of itself, its import ends
// within bounds: of memory, of time, and of what it has to say about it.
func TestAttacks(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is read from /proc")
	}
	n := 24
	if v, err := strconv.Atoi(os.Getenv("LADDERBACK_TEST_MUTANTS")); err == nil {
		n = v
	}
	for _, o := range tables() {
		t.Run(o.format, func(t *testing.T) {
			t.Parallel()
			var many [][]string
			for range 40 {
				many = append(many, o.row)
			}
			dir := t.TempDir()
			of := func(version int) []byte {
				return parquetTableOf(t, o.cols, many, wordsOf, parquet.MaxRowsPerRowGroup(1000), parquet.Compression(&parquet.Uncompressed),
					parquet.DataPageVersion(version))
			}
			good := of(1)
			all := attacks(t, good, of(2), n)
			all["good"] = good
			all["rewritten"] = rewritten(t, good, func(*pageOf) {})
			for name, data := range all {
				sub := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
				require.NoError(t, os.Mkdir(sub, 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(sub, "history-0f1e.parquet"), data, 0o600))
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAttackedImport$", "-test.v", "-test.timeout=5m")
			cmd.Env = append(os.Environ(), attackDir+"="+dir)
			said, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Contains(t, string(said), "files, ")
			t.Logf("%s", said)
		})
	}
}
