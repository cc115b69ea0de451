package project

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/rules"
)

// Rules returns the registry, sorted by code. It is the one place where front ends meet the rules.
func Rules() []*analyzers.Analyzer { return rules.All() }
