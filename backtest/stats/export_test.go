package stats

import "math/big"

// RootOf is the exact root.
func RootOf(num, den *big.Int) Decimal { return rootOf(num, den) }
