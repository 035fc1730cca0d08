// Package care looks after an archive: it verifies, summarises, copies and
// removes what it holds, and says how well each market was captured. Everything
// works over any store.
package care
