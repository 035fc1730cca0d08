package api

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// Document returns the OpenAPI document of the API.
func Document() []byte { return openAPI }

// Routes lists every route as "METHOD pattern".
func (s *Server) Routes() []string {
	var out []string
	_ = chi.Walk(s.handler.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if strings.HasPrefix(route, "/app/") { // the same routes, for the page
			return nil
		}
		out = append(out, method+" "+route)
		return nil
	})
	return out
}

// AllRoutes lists every route, those of the page too, as method and pattern.
func (s *Server) AllRoutes() (out [][2]string) {
	_ = chi.Walk(s.handler.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		out = append(out, [2]string{method, route})
		return nil
	})
	return out
}
