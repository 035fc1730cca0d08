package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/docs"
)

// TestReadable reads what a server has for language models, as the list says where it is.
func TestReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for path, want := range map[string]string{
		"/llms.txt": docs.LLMs(), "/llms-full.txt": docs.LLMsFull(), "/docs/skill/SKILL.md": docs.Skill,
	} {
		a := w.do(t, request{path: path, plan: "-"})
		require.Equal(t, 200, a.status, path)
		require.Equal(t, want, string(a.body), path)
	}
	a := w.do(t, request{path: "/docs/language.md", plan: "-"})
	require.Equal(t, "text/markdown; charset=utf-8", a.header.Get("Content-Type"))
	source, _ := docs.Markdown("language")
	require.Equal(t, string(source), string(a.body))
	require.Equal(t, 404, w.do(t, request{path: "/docs/nothing.md", plan: "-"}).status)
}
