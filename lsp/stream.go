package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// messages is a stream whose frames may hold anything. What is no message is answered as JSON-RPC 2.0 asks for, with a null
// identifier, and read past: its length has told where the next one begins. The library itself would end the connection.
type messages struct{ jsonrpc2.Stream }

func (s messages) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		message, n, err := s.Stream.Read(ctx)
		var refused *jsonrpc2.Error
		if errors.As(err, &refused) {
			if _, err := s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, refused)); err != nil {
				return nil, 0, err
			}
			continue
		}
		// go.lsp.dev/protocol v1.0.1 takes the absent parameters of a method that it does not know for broken ones.
		if call, ok := message.(*jsonrpc2.Call); ok && len(call.Params()) == 0 {
			message = jsonrpc2.NewCall(call.ID(), call.Method(), jsonrpc2.RawMessage("{}"))
		}
		return message, n, err
	}
}
