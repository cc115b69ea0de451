package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// Initialize learns what the editor can do and says what the server can.
func (s *server) Initialize(_ context.Context, params *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	chosen, err := settingsFrom(params.InitializationOptions)
	if err != nil {
		s.log.Warn("initialization options", zap.Error(err))
	}
	s.editor = editorFrom(params.Capabilities)
	var offered []protocol.PositionEncodingKind
	if g := params.Capabilities.General; g != nil {
		offered = g.PositionEncodings
	}
	kind, encoding := negotiate(offered, chosen.Encoding)
	s.editor.encoding = encoding

	roots := rootsFrom(params)
	s.update(func(next *snapshot) {
		next.settings = chosen
		next.roots = roots
	})
	if params.ProcessID != nil {
		s.watchParent(int(*params.ProcessID))
	}
	s.lifecycle.begin()
	info := protocol.ServerInfo{Name: "shardls"}
	if s.options.Version != "" {
		info.Version = protocol.NewOptional(s.options.Version)
	}
	return &protocol.InitializeResult{Capabilities: s.capabilities(kind), ServerInfo: info}, nil
}

// rootsFrom is the workspace's folders as paths; folders that are no files are left out.
func rootsFrom(params *protocol.InitializeParams) []string {
	var roots []string
	if folders, ok := params.WorkspaceFolders.Get(); ok {
		for _, f := range folders {
			if f.URI.IsFile() {
				roots = append(roots, f.URI.FsPath())
			}
		}
	}
	if len(roots) > 0 {
		return roots
	}
	if root := params.RootURI; root != nil && root.IsFile() { //nolint:staticcheck // clients before LSP 3.6 send nothing else
		return []string{root.FsPath()}
	}
	if path, ok := params.RootPath.Get(); ok && path != "" { //nolint:staticcheck // clients before LSP 3.6 send nothing else
		return []string{path}
	}
	return nil
}

// capabilities is what the server offers this editor.
func (s *session) capabilities(kind protocol.PositionEncodingKind) protocol.ServerCapabilities {
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding: kind,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes,
			Change:    &incremental,
			Save:      protocol.Boolean(true),
		},
		HoverProvider:             protocol.Boolean(true),
		CodeLensProvider:          &protocol.CodeLensOptions{},
		InlayHintProvider:         protocol.Boolean(true),
		DefinitionProvider:        protocol.Boolean(true),
		ReferencesProvider:        protocol.Boolean(true),
		DocumentHighlightProvider: protocol.Boolean(true),
		DocumentSymbolProvider:    protocol.Boolean(true),
		WorkspaceSymbolProvider:   protocol.Boolean(true),
		FoldingRangeProvider:      protocol.Boolean(true),
		DocumentLinkProvider:      &protocol.DocumentLinkOptions{},
		RenameProvider:            &protocol.RenameOptions{PrepareProvider: &yes},
		CompletionProvider:        &protocol.CompletionOptions{TriggerCharacters: []string{`"`, "'"}},
		ExecuteCommandProvider:    protocol.ExecuteCommandOptions{Commands: commandNames()},
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, fixAllKind},
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported:           &yes,
				ChangeNotifications: protocol.Boolean(true),
			},
		},
	}
	if s.editor.pull {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{InterFileDependencies: true}
	}
	return c
}

// Initialized registers what can only be asked for once the editor has the server's answer.
func (s *server) Initialized(context.Context, *protocol.InitializedParams) error {
	// Requests to the editor wait for its answer, which is read on the goroutine that this notification occupies.
	s.spawn("register", func() {
		s.register()
		s.fetchConfiguration()
	})
	return nil
}

// register asks the editor to report changes of configuration and of the files that matter.
func (s *session) register() {
	var wanted []protocol.Registration
	if s.editor.registerConfig {
		wanted = append(wanted, protocol.Registration{
			ID:              "shardls-configuration",
			Method:          protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: protocol.LSPAny(`{"section":"shardls"}`),
		})
	}
	if s.editor.registerWatch {
		wanted = append(wanted, protocol.Registration{
			ID:              "shardls-files",
			Method:          protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: watchers(),
		})
	}
	if len(wanted) == 0 {
		return
	}
	if err := s.client.RegisterCapability(s.ctx, &protocol.RegistrationParams{Registrations: wanted}); err != nil && s.ctx.Err() == nil {
		s.log.Warn("register with the editor", zap.Error(err))
	}
}

// watchers names the files whose changes matter: sources, configuration, and dumps by the names that XLA gives them.
func watchers() protocol.LSPAny {
	type watcher struct {
		GlobPattern string `json:"globPattern"`
	}
	var list struct {
		Watchers []watcher `json:"watchers"`
	}
	for _, glob := range []string{
		"**/*.{py,pyi,ipynb}",
		"**/{shardls,.shardls,pyproject}.toml",
		"**/module_*.{txt,txt.gz,txt.zst,pb,pb.gz,pb.zst}",
		"**/*.hlo",
	} {
		list.Watchers = append(list.Watchers, watcher{glob})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	return raw
}
