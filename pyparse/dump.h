// Declarations shared by dump.c and the Go side: one call parses a file and copies its tree into a flat array.
#ifndef SHARDLS_PYPARSE_DUMP_H
#define SHARDLS_PYPARSE_DUMP_H

#include <stddef.h>
#include <stdint.h>

// flat_node mirrors Node in node.go, field by field.
typedef struct {
	uint32_t start, end, next;
	uint8_t kind, field, flags, unused;
} flat_node;

// flat_range is a byte range outside the tree proper: a comment.
typedef struct {
	uint32_t start, end;
} flat_range;

enum {
	FLAG_HAS_ERROR = 1, // the node or something below it could not be parsed
	FLAG_MISSING = 2,   // the parser invented the node to go on
	FLAG_TOO_DEEP = 4,  // the node's descendants were left out
};

// Kinds that the copy treats specially; the others are opaque numbers from the table given to parser_new.
enum {
	KIND_SKIP = 0,    // leave the node out, look at its children
	KIND_COMMENT = 1, // goes to the comment list
	KIND_ERROR = 2,
	KIND_LEAF_SKIP = 3, // leave the node and everything below it out
	KIND_OPERATOR = 4,  // leave it out unless it stands in a field
};

enum { MAX_DEPTH = 4096 };

typedef struct flat_parser flat_parser;

typedef struct {
	const flat_node *nodes;
	const flat_range *comments;
	uint32_t node_count, comment_count;
	uint32_t error_count; // error and missing nodes
	uint32_t cut_count;   // nodes whose descendants were left out
	int status;           // one of the STATUS values
} flat_tree;

enum {
	STATUS_OK = 0,
	STATUS_CANCELLED = 1,
	STATUS_NO_MEMORY = 2,
	STATUS_UNFIT = 3, // the linked grammar does not fit the linked runtime
};

// parser_new keeps copies of the tables: kinds by grammar symbol, fields by grammar field.
flat_parser *parser_new(const uint8_t *kinds, uint32_t kind_count, const uint8_t *fields, uint32_t field_count);
void parser_delete(flat_parser *p);
size_t *parser_cancel_flag(flat_parser *p);
void parser_parse(flat_parser *p, const char *source, uint32_t length, flat_tree *out);

#endif
