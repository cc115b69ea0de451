package project

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/rules"
)

// allRules is the registry. It is the one place where front ends meet the rules.
func allRules() []*analyzers.Analyzer { return rules.All() }
