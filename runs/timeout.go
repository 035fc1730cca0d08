package runs

import (
	"context"
	"time"
)

// transactionTimeout is how long the database may take over one transaction. All are short: one
// that takes longer has met a connection that nobody answers on, and is tried again
// on another.
const transactionTimeout = 30 * time.Second

// bounded ends ctx after transactionTimeout.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, transactionTimeout)
}
