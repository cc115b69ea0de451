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
		shd101(),
		shd102(),
		shd103(),
		shd104(),
		shd105(),
		shd106(),
		shd107(),
		shd108(),
		shd109(),
		shd110(),
		shd202(),
		shd401(),
		shd402(),
		shd405(),
		shd406(),
		shd501(),
		shd502(),
		shd503(),
		shd504(),
		shd505(),
		shd506(),
		shd507(),
		shd508(),
		shd509(),
		shd510(),
		shd511(),
		shd512(),
		shd514(),
		shd515(),
		shd517(),
		shd518(),
		shd519(),
		shd601(),
		shd602(),
		shd603(),
		shd604(),
	}
}
