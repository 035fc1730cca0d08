package rules_test

import "testing"

// What a prompt says of orders is read, and what stands beside it in a way that
// could change it is refused.
func TestOrders(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/orders.txt", 50)
}
