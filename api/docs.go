package api

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	workbench "github.com/ladderback/ladderback/api/page"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/docs"
)

//go:embed openapi.json
var openAPI []byte

//go:embed docs.html
var docsPage []byte

// readable adds what language models read: the list of the documents, all of them, each,
// and how a study is done.
func (s *Server) readable(r chi.Router) {
	const plain, markdown = "text/plain; charset=utf-8", "text/markdown; charset=utf-8"
	r.Get("/llms.txt", workbench.File(plain, []byte(docs.LLMs())))
	r.Get("/llms-full.txt", workbench.File(plain, []byte(docs.LLMsFull())))
	r.Get("/docs/skill/SKILL.md", workbench.File(markdown, []byte(docs.Skill)))
	for _, name := range docs.Names() {
		source, _ := docs.Markdown(name)
		r.Get("/docs/"+name+".md", workbench.File(markdown, source))
	}
}

// guidePlace is where the guide goes in the page.
const guidePlace = "<!-- guide -->"

// docsWithGuide returns the page of the API's documents: the guide, then every
// operation, which the page makes from the OpenAPI document; around it what is around
// the pages of the workbench, whose files may be nil.
func docsWithGuide(files fs.FS) ([]byte, error) {
	guide, err := docs.HTML("api")
	if err != nil {
		return nil, err
	}
	return bytes.Replace(workbench.InShell(docsPage, files), []byte(guidePlace), guide, 1), nil
}

// home leads a browser that opens the server's address to the documentation;
// anything else is told that there is nothing.
func home(w http.ResponseWriter, r *http.Request) error {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, "/docs", http.StatusFound)
		return nil
	}
	return noRoute(r)
}

// entrance adds the pages on which people come in.
func (s *Server) entrance(r chi.Router) {
	if s.cfg.Grants != nil {
		for _, one := range s.cfg.Grants.Routes() {
			r.With(s.ownHost, s.bounded).Method(one.Method, one.Path, s.handle(one.Handle))
		}
	}
	if s.cfg.Forms == nil {
		return
	}
	for _, one := range s.cfg.Forms.Routes() {
		r.With(s.ownHost, s.ownSite, s.bounded).Method(one.Method, one.Path, one.Handle)
	}
}

// workbench adds the page of the workbench to the router, or without one what leads a
// browser to the documentation.
func (s *Server) workbench(r chi.Router) error {
	if s.cfg.Page == nil {
		r.Get("/", s.handle(home))
		return nil
	}
	p, err := workbench.New(s.cfg.Page)
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	for _, at := range workbench.Addresses() {
		r.Get(at, s.handle(func(w http.ResponseWriter, req *http.Request) error {
			if !workbench.Wanted(req) {
				return noRoute(req)
			}
			p.Serve(w, req, at, s.about(req, at))
			return nil
		}))
	}
	r.Get(workbench.SharedPicture, s.bounded(s.handle(s.sharedPreview)).ServeHTTP)
	for path, serve := range p.Files() {
		r.Get(path, serve)
	}
	r.NotFound(s.handle(func(w http.ResponseWriter, req *http.Request) error {
		if !workbench.Browsed(req) || strings.HasPrefix(req.URL.Path, "/v1/") {
			return noRoute(req)
		}
		p.Missing(w, req)
		return nil
	}))
	return nil
}

// The examples of the document that name a market. A server puts one of its own in
// their place, so that the first request that somebody tries finds something.
const (
	exampleSlug  = "btc-updown-5m-1775001900"
	exampleToken = "73897936690294130547241986001680326312108035185749204712680629843846350414882"
	exampleStart = "2026-04-01T00:05:00Z"
	exampleEnd   = "2026-04-01T00:10:00Z"
)

// exampleLife is how long the market of the examples stays the same.
const exampleLife = time.Minute

// examples keeps the document with a market of the archive in its examples.
type examples struct {
	mu       sync.Mutex
	document []byte
	until    time.Time
}

// serveDocument answers with the OpenAPI document.
func (s *Server) serveDocument(w http.ResponseWriter, r *http.Request) {
	s.examples.mu.Lock()
	if now := time.Now(); now.After(s.examples.until) {
		s.examples.document, s.examples.until = s.ownExamples(r.Context()), now.Add(exampleLife)
	}
	document := s.examples.document
	s.examples.mu.Unlock()
	workbench.File("application/json", document)(w, r)
}

// ownExamples returns the document with the market updated last, of those that have
// captures, in its examples; as it is where there is none.
func (s *Server) ownExamples(ctx context.Context) []byte {
	const looked = 50
	ctx, cancel := context.WithTimeout(ctx, scrapePatience)
	defer cancel()
	rows, err := s.catalogue.of(ctx).Markets(ctx, store.MarketQuery{Page: store.Page{Limit: looked}})
	if err != nil {
		return openAPI
	}
	for i := range rows {
		m := &rows[i].Market
		if !rows[i].Stats.Captured || m.Slug == "" || m.Start == 0 || m.End <= m.Start || len(m.Tokens) == 0 {
			continue
		}
		replace := []string{}
		for _, pair := range [][2]string{{exampleSlug, m.Slug}, {exampleToken, m.Tokens[0].VenueID}, {exampleStart, m.Start.String()}, {exampleEnd, m.End.String()}} {
			replace = append(replace, exampleOf(pair[0]), exampleOf(pair[1]))
		}
		return []byte(strings.NewReplacer(replace...).Replace(string(openAPI)))
	}
	return openAPI
}

// exampleOf returns how the document writes the example of a parameter.
func exampleOf(value string) string {
	return `"example": ` + string(table.AppendString(nil, value))
}
