package api_test

import (
	"net/http"
	"testing"
)

func (w *world) conforms(t testing.TB, r *http.Request, q request, a *answer) {}
