// Package ussports reads the Parquet files of a public recording of Polymarket
// US: quotes (one row per poll and market: the best bid and ask of the Yes
// side, without sizes), the list of markets, and their outcomes.
//
// The files contain no ids: a market's id is its slug. Its tokens are Yes and
// No; only Yes was recorded, and nothing says that No mirrors it. Prices are
// doubles; each is the double nearest to a decimal of at most four places, or
// the row is rejected. An empty side is null or 0. The column volume24hr is
// rolling, so it is not the volume since the market's start, and is left out.
package ussports
