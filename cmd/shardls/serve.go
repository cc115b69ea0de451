package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/shardls/shardls/lsp"
)

// errNoShutdown ends a server that its editor left without a shutdown request; the protocol asks for 1.
const errNoShutdown = statusError(1)

func newServe(env environment) *cobra.Command {
	var socket, pipe, level string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the language server",
		Long: "Run the language server on standard input and output, or connect to an editor that listens.\n\n" +
			"The server reads files and never runs them. It writes its log to standard error.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			log, err := newLog(env.err, level)
			if err != nil {
				return err
			}
			stream, err := editorStream(c.Context(), env, socket, pipe)
			if err != nil {
				return err
			}
			return serve(c.Context(), stream, lsp.Options{Log: log, RuleURL: ruleURL})
		},
	}
	f := c.Flags()
	f.Bool("stdio", true, "speak on standard input and output")
	f.StringVar(&socket, "socket", "", "connect to the TCP `address` (or port of this machine) at which the editor listens")
	f.StringVar(&pipe, "pipe", "", "connect to the Unix socket at `path` at which the editor listens")
	f.StringVar(&level, "log-level", "warn", "log `level`: debug, info, warn or error")
	c.MarkFlagsMutuallyExclusive("socket", "pipe")
	return c
}

// serve runs one session. Its errors end the process with status 1, as editors expect.
func serve(ctx context.Context, stream io.ReadWriteCloser, options lsp.Options) error {
	err := lsp.Serve(ctx, stream, options)
	if err == nil {
		return nil
	}
	if !errors.Is(err, lsp.ErrNoShutdown) {
		options.Log.Error("the session ended", zap.Error(err))
	}
	return errNoShutdown
}

// editorStream opens the way to the editor.
func editorStream(ctx context.Context, env environment, socket, pipe string) (io.ReadWriteCloser, error) {
	var dialer net.Dialer
	switch {
	case socket != "":
		if !strings.Contains(socket, ":") {
			socket = net.JoinHostPort("127.0.0.1", socket)
		}
		conn, err := dialer.DialContext(ctx, "tcp", socket)
		if err != nil {
			return nil, fmt.Errorf("connect to the editor: %w", err)
		}
		return conn, nil
	case pipe != "":
		conn, err := dialer.DialContext(ctx, "unix", pipe)
		if err != nil {
			return nil, fmt.Errorf("connect to the editor: %w", err)
		}
		return conn, nil
	default:
		return stdio{env.in, env.out}, nil
	}
}

// stdio is a process's standard input and output as one stream.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes what can be closed.
func (s stdio) Close() error {
	var errs []error
	for _, end := range []any{s.Reader, s.Writer} {
		if c, ok := end.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// newLog writes lines for people to w.
func newLog(w io.Writer, level string) (*zap.Logger, error) {
	at, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("log level: %w", err)
	}
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.ISO8601TimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(config), zapcore.AddSync(w), at)), nil
}
