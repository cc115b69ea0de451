package lsp

// ruleURL is the page of a rule.
func ruleURL(code string) string {
	return "https://github.com/shardls/shardls/blob/main/docs/rules/" + code + ".md"
}
