// Package history turns sparse captures into uniform time buckets. It is pure:
// captures in, points out.
//
// The captured series of a market is a step function: its value at time t is
// that of the last capture received at or before t. Buckets are made in two
// stages:
//
//  1. The step function is read on the Grid, the multiples of 250 ms since the
//     epoch, as far as it is Known.
//  2. A bucket of resolution r at time t, a multiple of r, covers the known grid
//     points in [t, t+r). A price or a metric is their mean, an exact sum divided
//     once and rounded half to even to six decimals; a book is the last of them.
//
// Grid points are never visited one by one: a value that holds from one capture
// to the next counts once, weighted by the number of grid points it covers. A
// bucket's value does not depend on the window requested.
package history
