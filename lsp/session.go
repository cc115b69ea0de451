package lsp

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/shardls/shardls/internal/project"
)

// session is one connection with one editor.
type session struct {
	options Options
	log     *zap.Logger
	ctx     context.Context // ends with the connection
	stop    context.CancelFunc
	client  protocol.Client
	running sync.WaitGroup

	lifecycle lifecycle
	calls     calls
	editor    editor // set by initialize, read-only from then on

	mu      sync.Mutex
	current *snapshot
	changed chan struct{} // holds one token when there is something new to analyse
	// cancelRun gives up the analysis of a snapshot that is no longer current; guarded by mu.
	cancelRun context.CancelFunc

	results results
	tokens  progressTokens
	// reading says whether dumps are being read at this moment.
	reading atomic.Bool
	cache   project.Cache

	// What the editor was told. Only the goroutine that analyses uses these.
	sent      map[string]published // by URI
	refreshed string
	profile   string // what is wrong with the configured profile, "" where nothing is
}

// snapshot is one immutable state of the editor's documents and settings. A request answers from the one that was
// current when it was read.
type snapshot struct {
	id       int64
	settings settings
	roots    []string             // absolute paths of the workspace's folders
	open     map[string]*document // by URI
	disk     int64                // grows when files on disk may have changed
	dumps    int64                // grows when dumps on disk may have changed
}

func newSession(ctx context.Context, stop context.CancelFunc, conn jsonrpc2.Conn, options Options) *session {
	return &session{
		options: options,
		log:     options.Log,
		ctx:     ctx,
		stop:    stop,
		client:  protocol.ClientDispatcher(conn),
		current: &snapshot{settings: defaultSettings()},
		changed: make(chan struct{}, 1),
		results: newResults(),
		sent:    map[string]published{},
	}
}

// snapshot is the current state.
func (s *session) snapshot() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// update replaces the current state by one that change has made of a copy, and has it analysed.
func (s *session) update(change func(*snapshot)) {
	s.mu.Lock()
	next := *s.current
	next.id++
	next.open = maps.Clone(next.open)
	if next.open == nil {
		next.open = map[string]*document{}
	}
	change(&next)
	s.current = &next
	if s.cancelRun != nil {
		s.cancelRun()
	}
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // the worker has not taken the last token yet and will see this state
	}
}

// server answers one message from one snapshot. What it does not override is answered as not implemented.
type server struct {
	protocol.UnimplementedServer
	*session
	at *snapshot
}

var _ protocol.Server = (*server)(nil)

func (s *session) server() *server { return &server{session: s, at: s.snapshot()} }
