// Shardls checks the sharding annotations of JAX programs and explains what they cost.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/shardls/shardls/internal/capture"
)

func main() {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	again := make(chan os.Signal, 1)
	go func() {
		end(capture.SignalError{Signal: <-signals})
		for s := range signals {
			select {
			case again <- s:
			default: // the one before it was not taken yet
			}
		}
	}()
	env := processEnvironment()
	env.again = again
	os.Exit(Main(ctx, os.Args[1:], env))
}
