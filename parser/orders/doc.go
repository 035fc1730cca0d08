// Package orders reads what a prompt says of orders: limits that rest, further
// orders, entries again, merging, sizes and a bankroll.
//
// It finds such phrases by a table, [patterns], each from the beginning of a clause
// to the end of one, so that no word of a phrase is passed over and none is taken
// out of a negation. What is left of the prompt, of the same length, is read by the
// grammar as ever; what the phrases say is then added to that strategy. Conditions
// within phrases are read by the grammar, too. Last it is asked whether what the grammar
// read as the entry's or the exit's stands where it may be of an order: see [Found.Doubt].
package orders
