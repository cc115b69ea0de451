// Shardls checks the sharding annotations of JAX programs and explains what they cost.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := Main(ctx, os.Args[1:], processEnvironment())
	stop()
	os.Exit(status)
}
