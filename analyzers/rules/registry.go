// Package rules holds the rules, one file each with its documentation inside, and the registry.
package rules

import "github.com/shardls/shardls/analyzers"

// All returns every rule, sorted by code. The list is written out: what is not in it does not run.
func All() []*analyzers.Analyzer {
	return []*analyzers.Analyzer{
		shd001(),
		shd002(),
		shd003(),
		shd004(),
	}
}
