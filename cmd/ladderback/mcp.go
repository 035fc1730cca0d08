package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/docs"
	"github.com/ladderback/ladderback/mcp"
)

// mcpFlags are the flags of mcp, as given.
type mcpFlags struct {
	archives       *[]string
	server, config string
	tools          []string
}

func (a *cli) mcp() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer an agent over the Model Context Protocol",
		Long: `Answers an agent over standard input and output, by the Model Context Protocol:
tools that find markets, read history, read strategies in English, run, explain and
compare backtests, and sweep. It asks an archive directly, or, with --server, a
server, with the key in $LADDERBACK_API_KEY. A server answers the same at /mcp.
docs/agents.md has the line that each agent's settings need.`,
		Example: `  ladderback mcp --archive real.db
  LADDERBACK_API_KEY=lb_… ladderback mcp --server https://ladderback.example
  ladderback mcp --tools study,family`,
		Args: noArgs,
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.runMCP(cmd.Context(), &f) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	flags.StringVar(&f.server, "server", "", "address of a server to ask instead of an archive; its key is $LADDERBACK_API_KEY")
	flags.StringVar(&f.config, "config", "", "configuration file (YAML), as of serve: for the language model")
	flags.StringSliceVar(&f.tools, "tools", []string{mcp.Study}, "toolsets: "+strings.Join(mcp.Toolsets[:], ", "))
	return cmd
}

func (a *cli) skill() *cobra.Command {
	return &cobra.Command{
		Use:   "skill",
		Short: "Print what an agent should know of a study",
		Long: `Prints the skill for agents' programs that read skills: how a study is done with
ladderback, what a strategy may say, and what not to do. docs/agents.md says where it goes.`,
		Example: "  mkdir -p ~/.claude/skills/ladderback\n  ladderback skill > ~/.claude/skills/ladderback/SKILL.md",
		Args:    noArgs,
		RunE: a.begin(func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.out, docs.Skill)
			return err
		}),
	}
}

func (a *cli) runMCP(ctx context.Context, f *mcpFlags) (err error) {
	for _, name := range f.tools {
		if err := mcp.CheckToolset(name); err != nil {
			return usagef("--tools: %v", err)
		}
	}
	if f.server != "" {
		if len(*f.archives) > 0 {
			return usagef("--server, --archive: give one of them")
		}
		return a.speakMCP(ctx, f, client.New(f.server, a.getenv("LADDERBACK_API_KEY"), client.WithUserAgent("ladderback-mcp")))
	}
	s, err := a.Settings(f.config)
	if err != nil {
		return err
	}
	s.Addr, s.MetricsAddr = "127.0.0.1:0", "none"
	log := slog.New(slog.DiscardHandler)
	server, err := a.NewServer(ctx, s, app.ServeOptions{
		Archives: *f.archives, LocalKey: true, Works: true, Log: log, Mails: a.err, Version: version, Revision: revision(),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	_, key, err := server.Keys.CreateEphemeral("enterprise", "local", "local")
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, func(string, ...any) {}) }()
	defer func() { stop(); err = errors.Join(err, <-served) }()
	return a.speakMCP(ctx, f, client.New(server.Base, key, client.WithRetries(1, 0)))
}

// speakMCP answers the agent at the other end of standard input and output, by c.
func (a *cli) speakMCP(ctx context.Context, f *mcpFlags, c *client.Client) error {
	return mcp.ServeStdio(ctx, mcp.Config{
		Client:   func(context.Context, sdk.Request) (*client.Client, error) { return c, nil },
		Toolsets: f.tools, Version: version,
	}, io.NopCloser(a.in), unclosed{a.out})
}

// unclosed is a writer that others may close without an effect.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// agents returns what answers agents beside the routes of a server.
func agents(log *slog.Logger) func(to app.AgentsOptions) (http.Handler, error) {
	return func(to app.AgentsOptions) (http.Handler, error) {
		return mcp.NewHandler(mcp.Door(to), mcp.Config{Version: version, Log: log})
	}
}
