package intake

import (
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
)

// Config configures how captures are imported. The program always uses the zero
// value; tests want many small blocks and transactions.
type Config struct {
	// BlockCaptures bounds the captures of a block; zero: as many as it takes. An
	// import that is repeated must use the same.
	BlockCaptures int
	// Memory bounds, roughly, the bytes that an import holds before it writes;
	// zero: a few megabytes of blocks, and 64 MiB of captures not yet in blocks.
	Memory int
	// Blocks are the options of all blocks.
	Blocks block.Options
}

// limits bound what an import holds in memory before it writes.
type limits struct {
	commitBytes  int   // of blocks that wait for the next transaction
	commitClaims int   // that wait for it
	stageBytes   int   // of blocks of a market that is still open
	heldBytes    int64 // of captures not yet in blocks, of all open markets
	ledgerDocs   int   // of deferred imports
	stepDocs     int   // of them that are derived from at a time
}

func (c Config) limits() limits {
	if c.Memory > 0 {
		return limits{c.Memory, 1 + c.Memory/1000, c.Memory, int64(c.Memory), 1 + c.Memory/100, 1 + c.Memory/500}
	}
	return limits{commitBytes: 4 << 20, commitClaims: 8000, stageBytes: 8 << 20, heldBytes: 64 << 20, ledgerDocs: 500_000, stepDocs: 4000}
}

// Intake imports files into a store. It is safe for concurrent use.
type Intake struct {
	store    store.Store
	config   Config
	limits   limits
	encoders [block.Metrics + 1]sync.Pool // of *block.Encoder, by stream
	ledger   ledger
}

// New returns an intake into a store. The caller keeps ownership of the store.
func New(s store.Store, c Config) *Intake { return &Intake{store: s, config: c, limits: c.limits()} }

// full reports whether a block is to be ended.
func (in *Intake) full(e *block.Encoder) bool {
	return e.Full() || in.config.BlockCaptures > 0 && e.Len() >= in.config.BlockCaptures
}

func (in *Intake) encoder(s block.Stream) (*block.Encoder, error) {
	if e, ok := in.encoders[s].Get().(*block.Encoder); ok {
		e.Reset(s)
		return e, nil
	}
	return block.NewEncoder(s, in.config.Blocks)
}
