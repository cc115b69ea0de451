package pyparse

// Kind is what a node is. Values are ours and stay the same when the grammar is renumbered; the name of each is the
// grammar's own, as returned by [Kind.String].
type Kind uint8

// The first four mirror the numbers in dump.h. kindSkip, kindComment and kindLeafSkip never appear in a tree.
const (
	kindSkip Kind = iota
	kindComment
	KindError // a region that could not be parsed; what could be recognised in it are its children
	kindLeafSkip

	KindOperator // an operator token such as "+", "not in" or "and"; it always stands in FieldOperator or FieldOperators
	KindAsync    // the word async before def, for or with
	KindWildcard // the pattern _

	KindIdentifier              // identifier
	KindEllipsis                // ellipsis
	KindTypeConversion          // type_conversion
	KindInteger                 // integer
	KindFloat                   // float
	KindTrue                    // true
	KindFalse                   // false
	KindNone                    // none
	KindModule                  // module
	KindImportStatement         // import_statement
	KindImportPrefix            // import_prefix
	KindRelativeImport          // relative_import
	KindFutureImportStatement   // future_import_statement
	KindImportFromStatement     // import_from_statement
	KindAliasedImport           // aliased_import
	KindWildcardImport          // wildcard_import
	KindPrintStatement          // print_statement
	KindChevron                 // chevron
	KindAssertStatement         // assert_statement
	KindExpressionStatement     // expression_statement
	KindNamedExpression         // named_expression
	KindReturnStatement         // return_statement
	KindDeleteStatement         // delete_statement
	KindRaiseStatement          // raise_statement
	KindPassStatement           // pass_statement
	KindBreakStatement          // break_statement
	KindContinueStatement       // continue_statement
	KindIfStatement             // if_statement
	KindElifClause              // elif_clause
	KindElseClause              // else_clause
	KindMatchStatement          // match_statement
	KindBlock                   // block
	KindCaseClause              // case_clause
	KindForStatement            // for_statement
	KindWhileStatement          // while_statement
	KindTryStatement            // try_statement
	KindExceptClause            // except_clause
	KindExceptGroupClause       // except_group_clause
	KindFinallyClause           // finally_clause
	KindWithStatement           // with_statement
	KindWithClause              // with_clause
	KindWithItem                // with_item
	KindFunctionDefinition      // function_definition
	KindParameters              // parameters
	KindLambdaParameters        // lambda_parameters
	KindListSplat               // list_splat
	KindDictionarySplat         // dictionary_splat
	KindGlobalStatement         // global_statement
	KindNonlocalStatement       // nonlocal_statement
	KindExecStatement           // exec_statement
	KindTypeAliasStatement      // type_alias_statement
	KindClassDefinition         // class_definition
	KindTypeParameter           // type_parameter
	KindParenthesizedListSplat  // parenthesized_list_splat
	KindArgumentList            // argument_list
	KindDecoratedDefinition     // decorated_definition
	KindDecorator               // decorator
	KindExpressionList          // expression_list
	KindDottedName              // dotted_name
	KindCasePattern             // case_pattern
	KindAsPattern               // as_pattern
	KindUnionPattern            // union_pattern
	KindListPattern             // list_pattern
	KindTuplePattern            // tuple_pattern
	KindDictPattern             // dict_pattern
	KindKeywordPattern          // keyword_pattern
	KindSplatPattern            // splat_pattern
	KindClassPattern            // class_pattern
	KindComplexPattern          // complex_pattern
	KindDefaultParameter        // default_parameter
	KindTypedDefaultParameter   // typed_default_parameter
	KindListSplatPattern        // list_splat_pattern
	KindDictionarySplatPattern  // dictionary_splat_pattern
	KindNotOperator             // not_operator
	KindBooleanOperator         // boolean_operator
	KindBinaryOperator          // binary_operator
	KindUnaryOperator           // unary_operator
	KindComparisonOperator      // comparison_operator
	KindLambda                  // lambda
	KindAssignment              // assignment
	KindAugmentedAssignment     // augmented_assignment
	KindPatternList             // pattern_list
	KindYield                   // yield
	KindAttribute               // attribute
	KindSubscript               // subscript
	KindSlice                   // slice
	KindCall                    // call
	KindTypedParameter          // typed_parameter
	KindType                    // type
	KindSplatType               // splat_type
	KindGenericType             // generic_type
	KindUnionType               // union_type
	KindConstrainedType         // constrained_type
	KindMemberType              // member_type
	KindKeywordArgument         // keyword_argument
	KindList                    // list
	KindSet                     // set
	KindTuple                   // tuple
	KindDictionary              // dictionary
	KindPair                    // pair
	KindListComprehension       // list_comprehension
	KindDictionaryComprehension // dictionary_comprehension
	KindSetComprehension        // set_comprehension
	KindGeneratorExpression     // generator_expression
	KindParenthesizedExpression // parenthesized_expression
	KindForInClause             // for_in_clause
	KindIfClause                // if_clause
	KindConditionalExpression   // conditional_expression
	KindConcatenatedString      // concatenated_string
	KindString                  // string
	KindInterpolation           // interpolation
	KindFormatSpecifier         // format_specifier
	KindAwait                   // await
	KindPositionalSeparator     // positional_separator
	KindKeywordSeparator        // keyword_separator
	KindAsPatternTarget         // as_pattern_target
	KindFormatExpression        // format_expression

	kindCount
)

// kindNames are the grammar's names, indexed by Kind.
var kindNames = [kindCount]string{
	KindError:    "ERROR",
	KindOperator: "operator",
	KindAsync:    "async",
	KindWildcard: "_",

	KindIdentifier:              "identifier",
	KindEllipsis:                "ellipsis",
	KindTypeConversion:          "type_conversion",
	KindInteger:                 "integer",
	KindFloat:                   "float",
	KindTrue:                    "true",
	KindFalse:                   "false",
	KindNone:                    "none",
	KindModule:                  "module",
	KindImportStatement:         "import_statement",
	KindImportPrefix:            "import_prefix",
	KindRelativeImport:          "relative_import",
	KindFutureImportStatement:   "future_import_statement",
	KindImportFromStatement:     "import_from_statement",
	KindAliasedImport:           "aliased_import",
	KindWildcardImport:          "wildcard_import",
	KindPrintStatement:          "print_statement",
	KindChevron:                 "chevron",
	KindAssertStatement:         "assert_statement",
	KindExpressionStatement:     "expression_statement",
	KindNamedExpression:         "named_expression",
	KindReturnStatement:         "return_statement",
	KindDeleteStatement:         "delete_statement",
	KindRaiseStatement:          "raise_statement",
	KindPassStatement:           "pass_statement",
	KindBreakStatement:          "break_statement",
	KindContinueStatement:       "continue_statement",
	KindIfStatement:             "if_statement",
	KindElifClause:              "elif_clause",
	KindElseClause:              "else_clause",
	KindMatchStatement:          "match_statement",
	KindBlock:                   "block",
	KindCaseClause:              "case_clause",
	KindForStatement:            "for_statement",
	KindWhileStatement:          "while_statement",
	KindTryStatement:            "try_statement",
	KindExceptClause:            "except_clause",
	KindExceptGroupClause:       "except_group_clause",
	KindFinallyClause:           "finally_clause",
	KindWithStatement:           "with_statement",
	KindWithClause:              "with_clause",
	KindWithItem:                "with_item",
	KindFunctionDefinition:      "function_definition",
	KindParameters:              "parameters",
	KindLambdaParameters:        "lambda_parameters",
	KindListSplat:               "list_splat",
	KindDictionarySplat:         "dictionary_splat",
	KindGlobalStatement:         "global_statement",
	KindNonlocalStatement:       "nonlocal_statement",
	KindExecStatement:           "exec_statement",
	KindTypeAliasStatement:      "type_alias_statement",
	KindClassDefinition:         "class_definition",
	KindTypeParameter:           "type_parameter",
	KindParenthesizedListSplat:  "parenthesized_list_splat",
	KindArgumentList:            "argument_list",
	KindDecoratedDefinition:     "decorated_definition",
	KindDecorator:               "decorator",
	KindExpressionList:          "expression_list",
	KindDottedName:              "dotted_name",
	KindCasePattern:             "case_pattern",
	KindAsPattern:               "as_pattern",
	KindUnionPattern:            "union_pattern",
	KindListPattern:             "list_pattern",
	KindTuplePattern:            "tuple_pattern",
	KindDictPattern:             "dict_pattern",
	KindKeywordPattern:          "keyword_pattern",
	KindSplatPattern:            "splat_pattern",
	KindClassPattern:            "class_pattern",
	KindComplexPattern:          "complex_pattern",
	KindDefaultParameter:        "default_parameter",
	KindTypedDefaultParameter:   "typed_default_parameter",
	KindListSplatPattern:        "list_splat_pattern",
	KindDictionarySplatPattern:  "dictionary_splat_pattern",
	KindNotOperator:             "not_operator",
	KindBooleanOperator:         "boolean_operator",
	KindBinaryOperator:          "binary_operator",
	KindUnaryOperator:           "unary_operator",
	KindComparisonOperator:      "comparison_operator",
	KindLambda:                  "lambda",
	KindAssignment:              "assignment",
	KindAugmentedAssignment:     "augmented_assignment",
	KindPatternList:             "pattern_list",
	KindYield:                   "yield",
	KindAttribute:               "attribute",
	KindSubscript:               "subscript",
	KindSlice:                   "slice",
	KindCall:                    "call",
	KindTypedParameter:          "typed_parameter",
	KindType:                    "type",
	KindSplatType:               "splat_type",
	KindGenericType:             "generic_type",
	KindUnionType:               "union_type",
	KindConstrainedType:         "constrained_type",
	KindMemberType:              "member_type",
	KindKeywordArgument:         "keyword_argument",
	KindList:                    "list",
	KindSet:                     "set",
	KindTuple:                   "tuple",
	KindDictionary:              "dictionary",
	KindPair:                    "pair",
	KindListComprehension:       "list_comprehension",
	KindDictionaryComprehension: "dictionary_comprehension",
	KindSetComprehension:        "set_comprehension",
	KindGeneratorExpression:     "generator_expression",
	KindParenthesizedExpression: "parenthesized_expression",
	KindForInClause:             "for_in_clause",
	KindIfClause:                "if_clause",
	KindConditionalExpression:   "conditional_expression",
	KindConcatenatedString:      "concatenated_string",
	KindString:                  "string",
	KindInterpolation:           "interpolation",
	KindFormatSpecifier:         "format_specifier",
	KindAwait:                   "await",
	KindPositionalSeparator:     "positional_separator",
	KindKeywordSeparator:        "keyword_separator",
	KindAsPatternTarget:         "as_pattern_target",
	KindFormatExpression:        "format_expression",
}

// String returns the grammar's name of k.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return "invalid"
}

// Field is the role a node plays in its parent.
type Field uint8

// The roles the grammar names. Children without one have FieldNone.
const (
	FieldNone Field = iota
	FieldAlias
	FieldAlternative
	FieldArgument
	FieldArguments
	FieldAttribute
	FieldBody
	FieldCause
	FieldCode
	FieldCondition
	FieldConsequence
	FieldDefinition
	FieldExpression
	FieldFormatSpecifier
	FieldFunction
	FieldGuard
	FieldKey
	FieldLeft
	FieldModuleName
	FieldName
	FieldObject
	FieldOperator
	FieldOperators
	FieldParameters
	FieldReturnType
	FieldRight
	FieldSubject
	FieldSubscript
	FieldSuperclasses
	FieldType
	FieldTypeConversion
	FieldTypeParameters
	FieldValue

	fieldCount
)

// fieldNames are the grammar's names, indexed by Field.
var fieldNames = [fieldCount]string{
	FieldAlias:           "alias",
	FieldAlternative:     "alternative",
	FieldArgument:        "argument",
	FieldArguments:       "arguments",
	FieldAttribute:       "attribute",
	FieldBody:            "body",
	FieldCause:           "cause",
	FieldCode:            "code",
	FieldCondition:       "condition",
	FieldConsequence:     "consequence",
	FieldDefinition:      "definition",
	FieldExpression:      "expression",
	FieldFormatSpecifier: "format_specifier",
	FieldFunction:        "function",
	FieldGuard:           "guard",
	FieldKey:             "key",
	FieldLeft:            "left",
	FieldModuleName:      "module_name",
	FieldName:            "name",
	FieldObject:          "object",
	FieldOperator:        "operator",
	FieldOperators:       "operators",
	FieldParameters:      "parameters",
	FieldReturnType:      "return_type",
	FieldRight:           "right",
	FieldSubject:         "subject",
	FieldSubscript:       "subscript",
	FieldSuperclasses:    "superclasses",
	FieldType:            "type",
	FieldTypeConversion:  "type_conversion",
	FieldTypeParameters:  "type_parameters",
	FieldValue:           "value",
}

// String returns the grammar's name of f, which is empty for FieldNone.
func (f Field) String() string {
	if f < fieldCount {
		return fieldNames[f]
	}
	return "invalid"
}
