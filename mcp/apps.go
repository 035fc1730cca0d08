package mcp

import (
	"context"
	_ "embed"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Apps (https://modelcontextprotocol.io/extensions/apps): a host that has the extension
// shows the answer of a tool in a view of ours, in a sandbox without a network. One view
// shows both: of a run the page that its report is, of a trade the ladders its orders met.
const (
	appsExtension = "io.modelcontextprotocol/ui"
	viewURI       = "ui://ladderback/view"
	viewType      = "text/html;profile=mcp-app"
)

//go:embed view.html
var view string

// viewed marks a tool whose answers the view shows.
func viewed() sdk.Meta {
	return sdk.Meta{"ui": map[string]any{"resourceUri": viewURI}}
}

func addView(s *sdk.Server) {
	s.AddResource(&sdk.Resource{URI: viewURI, Name: "view", Title: "The report of a run, the ladders of a trade", MIMEType: viewType},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
				URI: viewURI, MIMEType: viewType, Text: view, Meta: sdk.Meta{"ui": map[string]any{"prefersBorder": true}},
			}}}, nil
		})
}
