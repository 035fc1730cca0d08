// Package queue says when own resting orders fill against what was captured. Nobody
// outside the exchange knows the place in the queue, so there are three rules, from
// what is sure to what is possible; the side of a public trade is never used.
//
// A Book is one ladder, with the prices of one token. Where two tokens mirror each
// other both have one Book, and an order of the other token is one of the other side
// at 1 − p.
package queue
