// Package mcp answers agents over the Model Context Protocol: tools, resources and prompts
// over the routes of the API, which it asks as any client does. Plans, limits and errors
// are therefore those of the routes, and each call of a tool counts as its routes.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

// Toolsets.
const (
	Study  = "study"  // the ten tools of a study, the default
	Family = "family" // the names, arguments and answers that clients of this API family know
)

// Toolsets lists them.
var Toolsets = [...]string{Study, Family}

// Config configures a server.
type Config struct {
	// Client returns the client that asks for the caller of a request.
	Client func(ctx context.Context, r sdk.Request) (*client.Client, error)
	// Toolsets are those whose tools are offered; nil: Study.
	Toolsets []string
	// Version is that of the program; empty: devel.
	Version string
	// Patience is how long a call waits for a run before it answers with where to ask for
	// it. Default 25 s.
	Patience time.Duration
	Log      *slog.Logger // of the protocol; nil: nothing is logged

	options func(*sdk.ServerOptions) // nil but in tests, as is add
	add     func(*sdk.Server, *bench)
}

// instructions are what an agent reads first.
const instructions = `Ladderback holds captured prices and order books of short "Up or Down" rounds on coins, and of sports markets, and replays strategies over resolved rounds.
- Prices are dollars a share from 0 to 1 (35c = 0.35): a share pays $1 when its token wins. Times are UTC.
- Percentages and prices of coins are refused in strategies: only the round's own prices, books and clock can be tested.
- Begin with find_markets, which says what the archive holds. parse_strategy is free and says how a sentence is read.
- Quote the summary of what was read, not the sentence that was sent.
- A win rate means nothing without the price paid. Quote the verdict and its interval with every pnl.
- Never report the best of many tries without saying how many there were; use sweep, which accounts for it.
- Fills are taken from captured ladders; warnings say what they rest on. Repeat them.
- Every number must come from a tool's answer. The receipt of a run identifies it.`

// NewServer returns a server of the protocol, which keeps nothing between two requests.
func NewServer(c Config) (*sdk.Server, error) {
	if c.Client == nil {
		return nil, errors.New("mcp: Client is needed")
	}
	if c.Patience == 0 {
		c.Patience = 25 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if len(c.Toolsets) == 0 {
		c.Toolsets = []string{Study}
	}
	version := c.Version
	if version == "" {
		version = "devel"
	}
	can := &sdk.ServerCapabilities{ // whose lists change with the program alone
		Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{},
	}
	can.AddExtension(tasksExtension, nil)
	can.AddExtension(appsExtension, nil)
	options := &sdk.ServerOptions{
		Instructions: instructions, Logger: c.Log, Capabilities: can,
		SetCacheable: cacheable, SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18"},
	}
	if c.options != nil {
		c.options(options)
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "ladderback", Title: "Ladderback", Version: version}, options)
	b := &bench{cfg: c, busy: map[string]int{}}
	taken := map[string]bool{}
	for _, name := range c.Toolsets {
		if err := CheckToolset(name); err != nil {
			return nil, err
		}
		for _, t := range toolsets[name] {
			if !taken[t.name] { // the first toolset that has a name owns it
				t.add(s, b)
			}
			taken[t.name] = true
		}
	}
	b.resources(s)
	prompts(s)
	addView(s)
	if err := b.addTasks(s); err != nil {
		return nil, err
	}
	s.AddReceivingMiddleware(recovering(c.Log))
	if c.add != nil {
		c.add(s, b)
	}
	return s, nil
}

// recovering answers a request whose handler panics with an error, as handlers run on
// goroutines of the protocol, where a panic would end the process.
func recovering(log *slog.Logger) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
			defer func() {
				if v := recover(); v != nil {
					log.ErrorContext(ctx, "panic", "method", method, "cause", fmt.Sprint(v), "stack", string(debug.Stack()))
					result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			return next(ctx, method, r)
		}
	}
}

// CheckToolset returns an error for a name that is not one of a toolset.
func CheckToolset(name string) error {
	if !slices.Contains(Toolsets[:], name) {
		return fmt.Errorf("no toolset %q: expected one of %s", name, strings.Join(Toolsets[:], ", "))
	}
	return nil
}

// listsFor is how long clients may keep the lists of tools, prompts and resources, which
// change with the program alone.
const listsFor = 10 * time.Minute

// cacheable lets clients keep lists for a while, and what a key may read never for another.
func cacheable(_ context.Context, r sdk.Request, c *sdk.Cacheable) {
	if _, reads := r.GetParams().(*sdk.ReadResourceParams); reads {
		*c = sdk.Cacheable{TTLMs: 0, CacheScope: "private"}
		return
	}
	*c = sdk.Cacheable{TTLMs: int(listsFor.Milliseconds()), CacheScope: "public"}
}

// ServeStdio answers one client over two streams, as the protocol's stdio transport, until
// in ends or ctx does. Nothing but messages of the protocol is written to out: a line of in
// that is no message is answered with an error, and the next one is read.
func ServeStdio(ctx context.Context, c Config, in io.ReadCloser, out io.WriteCloser) error {
	s, err := NewServer(c)
	if err != nil {
		return err
	}
	to := &whole{WriteCloser: out}
	err = s.Run(ctx, &sdk.IOTransport{Reader: newLines(in, to), Writer: to})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
