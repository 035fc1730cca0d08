package rules_test

import "testing"

// What a prompt says of orders is read, and what stands beside it in a way that
// could change it is refused.
func TestOrders(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/orders.txt", 50)
}

// What public bots do is read, or refused for its true reason.
func TestBots(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/bots.txt", 59)
}
