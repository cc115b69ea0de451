// Package architecture holds tests that read the source tree and fail where it departs from docs/architecture.md: which
// package may import which, no init functions, no package-level state that changes, every dependency explained.
package architecture
