package lsp

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/shardls/shardls/internal/project"
)

// progress is one piece of long work that the editor shows. Its methods may be called where the editor shows none.
type progress struct {
	session *session
	token   protocol.ProgressToken // nil where nothing is shown
	last    string
}

// progressTokens numbers the pieces of work of one session.
type progressTokens struct{ next atomic.Int64 }

// beginProgress asks the editor to show work under a title. It waits for the editor's consent and must not be called on
// the goroutine that reads messages.
func (s *session) beginProgress(title string) *progress {
	p := &progress{session: s}
	if !s.editor.progress {
		return p
	}
	token := protocol.String(fmt.Sprintf("shardls-%d", s.tokens.next.Add(1)))
	if err := s.client.WorkDoneProgressCreate(s.ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
		return p // an editor may refuse
	}
	p.token = token
	p.send(map[string]any{"kind": "begin", "title": title})
	return p
}

// report shows how far the work has come. Percentages never go back, as the protocol asks, because none are sent for
// stages whose length is not known.
func (p *progress) report(at project.Progress) {
	message := at.Stage
	if at.Total > 0 {
		message = fmt.Sprintf("%s %d/%d", at.Stage, at.Done, at.Total)
	}
	if message != p.last {
		p.last = message
		p.send(map[string]any{"kind": "report", "message": message})
	}
}

func (p *progress) end() { p.send(map[string]any{"kind": "end"}) }

func (p *progress) send(value map[string]any) {
	if p == nil || p.token == nil {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	if err := p.session.client.Progress(p.session.ctx, &protocol.ProgressParams{Token: p.token, Value: raw}); err != nil && p.session.ctx.Err() == nil {
		p.session.log.Debug("progress", zap.Error(err))
	}
}
