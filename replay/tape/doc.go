// Package tape holds what had been received about one market by an instant: books,
// quotes, prices and trades, and the values of a strategy's conditions on them.
//
// It knows nothing of orders: those who replay a market read it, and never change it.
package tape
