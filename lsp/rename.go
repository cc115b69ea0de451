package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
)

// PrepareRename says that what is under the cursor is a mesh axis, which is all that can be renamed.
func (s *server) PrepareRename(ctx context.Context, params *protocol.PrepareRenameParams) (protocol.PrepareRenameResult, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	a, use, err := s.axisUnder(ctx, doc, params.Position)
	if err != nil || a == nil {
		return nil, err
	}
	return &protocol.PrepareRenamePlaceholder{
		Range:       rangeFromOffsets(doc.text, use.Start, use.End, s.editor.encoding),
		Placeholder: use.Name,
	}, nil
}

// Rename changes every literal of the workspace that names a mesh axis. It refuses a name that is in use: two axes would
// become one.
func (s *server) Rename(ctx context.Context, params *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	a, use, err := s.axisUnder(ctx, doc, params.Position)
	if err != nil {
		return nil, err
	}
	switch {
	case a == nil:
		return nil, invalidParams("no mesh axis is under the cursor")
	case params.NewName == "" || strings.ContainsAny(params.NewName, "\"'\\{}\r\n"):
		return nil, invalidParams("%q can't stand in every string", params.NewName)
	case params.NewName != use.Name && len(a.named(params.NewName)) > 0:
		return nil, invalidParams("%q already names a mesh axis", params.NewName)
	}
	var edits []editData
	for _, u := range a.named(use.Name) {
		location := s.axisLocation(a, u)
		edits = append(edits, editData{URI: string(location.URI), Range: location.Range, NewText: params.NewName})
	}
	return s.workspaceEdit(edits), nil
}
