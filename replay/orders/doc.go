// Package orders plays the orders of a strategy over one round: orders with triggers, in
// one loop. An entry that takes, a target, a stop and a clock are three kinds of it;
// orders that rest, further orders on both tokens, and entries that come again are the
// others.
//
// An instant has three steps: the world (captures apply, resting orders fill), the
// messages that are due (cancels, then orders by precedence), and the evaluation of
// triggers (exits, further orders, the entry, exits again). Players that share a Purse
// are taken through each step together.
package orders
