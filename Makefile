# shardls needs Go and a C compiler to build; make test installs the rest under .cache.

SHELL    := /usr/bin/env bash
BIN      := bin/shardls
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  := -s -w -X main.version=$(VERSION)
FUZZTIME ?= 10s
BENCH    ?= .
PKG      ?= ./...

export CGO_ENABLED := 1

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/shardls
	go build -trimpath -buildvcs=auto -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/shardls

.PHONY: demo
demo: build ## show what is found in the embedded example (needs only Go and a C compiler)
	./$(BIN) demo

.PHONY: tools
tools: ## install what the tests need under .cache
	@./scripts/tools.sh

# The summary's line is the last one printed; its status, not that of go test, decides, since it also counts skips.
.PHONY: test
test: tools lint ## check the code and run all tests with the race detector
	@{ go test -race -json -timeout 20m $(PKG); ./scripts/editor-events.sh nvim; } | go run ./internal/testsummary

.PHONY: test-vscode
test-vscode: ## open the demo in a real workbench and browser (installs both under .cache)
	@editors/test/vscode.sh

.PHONY: test-targets
test-targets: ## compile a program ahead of time for TPU and GPU and read the outcome (installs their compilers under .cache, 3 GB)
	@./scripts/tools.sh targets
	@go test -tags targets -v -count 1 -timeout 30m -run TestTargets ./cmd/shardls

.PHONY: lint
lint: tools ## gofmt, go vet and golangci-lint
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); \
	  if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi
	@go vet ./...
	@.cache/bin/golangci-lint run

.PHONY: bench
bench: ## run the benchmarks: make bench PKG=./hlomap BENCH=Attribution
	go test -run '^$$' -bench '$(BENCH)' -benchmem $(PKG)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME each
	@go list -f '{{.Dir}} {{.ImportPath}}' $(PKG) | while read -r dir package; do \
	  grep -ohE '^func Fuzz\w+' "$$dir"/*_test.go 2>/dev/null | cut -d' ' -f2 | sort -u | while read -r target; do \
	    echo "$$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null || exit 1; \
	  done || exit 1; \
	done

.PHONY: corpus
corpus: ## check published JAX packages and compare with scripts/corpus.golden
	./scripts/corpus.sh

.PHONY: generate
generate: tools ## make the demo's dump and every generated page again
	./internal/demo/generate.sh .cache/jax-0.10.2/bin/python
	go generate ./...
