package lsp

// ruleURL is the page of a rule, "" where there is none.
func (s *session) ruleURL(code string) string {
	if s.options.RuleURL == nil {
		return ""
	}
	return s.options.RuleURL(code)
}
