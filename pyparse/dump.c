// The tree-sitter runtime is linked into the program by the Go binding. The binding installs no header, so what this file
// uses is declared here. The structures travel by value: their layout has to be the runtime's, whose version go.mod pins;
// the assertions below and TestDumpMatchesCursor guard it.
#include "dump.h"

#include "arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef uint16_t TSSymbol;
typedef uint16_t TSFieldId;
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;

typedef struct {
	uint32_t context[4];
	const void *id;
	const TSTree *tree;
} TSNode;

typedef struct {
	const void *tree;
	const void *id;
	uint32_t context[3];
} TSTreeCursor;

_Static_assert(sizeof(TSNode) == 16 + 2 * sizeof(void *), "TSNode differs from the runtime's");
_Static_assert(sizeof(TSTreeCursor) == (sizeof(void *) == 8 ? 32 : 20), "TSTreeCursor differs from the runtime's");
_Static_assert(sizeof(flat_node) == 16, "flat_node differs from Go's Node");

extern const TSLanguage *tree_sitter_python(void);
extern TSParser *ts_parser_new(void);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
extern TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
extern void ts_parser_reset(TSParser *);
extern void ts_parser_set_cancellation_flag(TSParser *, const size_t *);
extern TSNode ts_tree_root_node(const TSTree *);
extern TSSymbol ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern bool ts_node_is_missing(TSNode);
extern bool ts_node_has_error(TSNode);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern TSFieldId ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);

#define NOT_KEPT UINT32_MAX
#define ERROR_SYMBOL UINT16_MAX

enum { MAX_SYMBOLS = 512, MAX_FIELDS = 64 };

struct flat_parser {
	arena *arena;
	TSTreeCursor cursor; // of the tree that is being copied
	size_t cancel;
	uint8_t kinds[MAX_SYMBOLS];   // kind by grammar symbol
	uint8_t fields[MAX_FIELDS]; // field by grammar field

	flat_node *nodes;
	uint32_t node_count, node_room;
	flat_range *comments;
	uint32_t comment_count, comment_room;
	uint32_t stack[MAX_DEPTH]; // index of each open ancestor, NOT_KEPT for one that was left out
};

flat_parser *parser_new(const uint8_t *kinds, uint32_t kind_count, const uint8_t *fields, uint32_t field_count) {
	if (kind_count > MAX_SYMBOLS || field_count > MAX_FIELDS) return NULL;
	flat_parser *p = calloc(1, sizeof *p);
	if (p == NULL) return NULL;
	memcpy(p->kinds, kinds, kind_count);
	memcpy(p->fields, fields, field_count);
	p->arena = arena_new();
	if (p->arena == NULL) {
		parser_delete(p);
		return NULL;
	}
	return p;
}

void parser_delete(flat_parser *p) {
	if (p == NULL) return;
	arena_delete(p->arena);
	free(p->nodes);
	free(p->comments);
	free(p);
}

size_t *parser_cancel_flag(flat_parser *p) { return &p->cancel; }

// reserve makes room for one more element and returns false when there is no memory for it.
static bool reserve(void **buffer, uint32_t count, uint32_t *room, size_t size) {
	if (count < *room) return true;
	uint32_t grown = *room == 0 ? 4096 : *room + *room / 2;
	if (grown <= *room) return false;
	void *moved = realloc(*buffer, (size_t)grown * size);
	if (moved == NULL) return false;
	*buffer = moved;
	*room = grown;
	return true;
}

// copy_tree walks the tree in pre-order and fills p->nodes and p->comments.
static int copy_tree(flat_parser *p, TSTree *tree, flat_tree *out) {
	TSNode root = ts_tree_root_node(tree);
	p->cursor = ts_tree_cursor_new(root);
	p->node_count = p->comment_count = 0;
	uint32_t depth = 0;
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(&p->cursor);
		TSSymbol symbol = ts_node_symbol(node);
		uint8_t kind = symbol == ERROR_SYMBOL ? KIND_ERROR : symbol < MAX_SYMBOLS ? p->kinds[symbol] : KIND_SKIP;
		uint32_t self = NOT_KEPT;
		bool error = ts_node_has_error(node), missing = error && ts_node_is_missing(node);
		out->error_count += missing || kind == KIND_ERROR;
		if (kind == KIND_COMMENT) {
			if (!reserve((void **)&p->comments, p->comment_count, &p->comment_room, sizeof(flat_range)))
				return STATUS_NO_MEMORY;
			p->comments[p->comment_count++] = (flat_range){ts_node_start_byte(node), ts_node_end_byte(node)};
		} else if ((kind != KIND_SKIP && kind != KIND_LEAF_SKIP) || missing) {
			uint8_t field = p->fields[ts_tree_cursor_current_field_id(&p->cursor) % MAX_FIELDS];
			if (kind == KIND_OPERATOR && field == 0) goto next;
			if (!reserve((void **)&p->nodes, p->node_count, &p->node_room, sizeof(flat_node))) return STATUS_NO_MEMORY;
			self = p->node_count++;
			p->nodes[self] = (flat_node){
				.start = ts_node_start_byte(node),
				.end = ts_node_end_byte(node),
				.next = self + 1,
				.kind = kind,
				.field = field,
				.flags = (error ? FLAG_HAS_ERROR : 0) | (missing ? FLAG_MISSING : 0),
			};
		}
		if (kind != KIND_LEAF_SKIP && kind != KIND_COMMENT && ts_tree_cursor_goto_first_child(&p->cursor)) {
			if (depth < MAX_DEPTH) {
				p->stack[depth++] = self;
				continue;
			}
			ts_tree_cursor_goto_parent(&p->cursor);
			out->cut_count++;
			if (self != NOT_KEPT) p->nodes[self].flags |= FLAG_TOO_DEEP;
		}
	next:
		while (!ts_tree_cursor_goto_next_sibling(&p->cursor)) {
			if (depth == 0) return STATUS_OK;
			ts_tree_cursor_goto_parent(&p->cursor);
			uint32_t parent = p->stack[--depth];
			if (parent != NOT_KEPT) p->nodes[parent].next = p->node_count;
		}
	}
}

// parse_in_arena leaves the parser, the tree and the cursor to the arena, which takes them all away at once.
static int parse_in_arena(flat_parser *p, const char *source, uint32_t length, flat_tree *out) {
	TSParser *parser = ts_parser_new();
	if (!ts_parser_set_language(parser, tree_sitter_python())) return STATUS_UNFIT;
	ts_parser_set_cancellation_flag(parser, &p->cancel);
	TSTree *tree = ts_parser_parse_string(parser, NULL, source, length);
	if (tree == NULL) {
		ts_parser_reset(parser); // frees the scanner, whose memory is not the arena's
		return STATUS_CANCELLED;
	}
	return copy_tree(p, tree, out);
}

void parser_parse(flat_parser *p, const char *source, uint32_t length, flat_tree *out) {
	*out = (flat_tree){0};
	arena_enter(p->arena);
	out->status = parse_in_arena(p, source, length, out);
	arena_leave(p->arena);
	out->nodes = p->nodes;
	out->comments = p->comments;
	out->node_count = p->node_count;
	out->comment_count = p->comment_count;
}
