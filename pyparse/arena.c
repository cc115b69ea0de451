#include "arena.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

enum {
	CHUNK = 1 << 20,    // bytes asked of the system at a time
	KEPT = 4,           // chunks that stay for the next parse
	GRAIN = 8,          // blocks are multiples of this, which is all the alignment that the runtime's structures need
	CLASSES = 128,      // blocks of up to CLASSES * GRAIN bytes are used again once they are freed
};

typedef struct chunk {
	struct chunk *next;
	size_t room; // bytes behind this header
} chunk;

// block is an allocation with its header.
typedef struct block {
	uint64_t size;      // bytes behind it, a multiple of GRAIN; wide enough to align what follows
	struct block *next; // while the block is free; else what it is used for
} block;

enum { HEADER = offsetof(block, next) };

static void *body(block *b) { return &b->next; }

static block *block_of(void *p) { return (block *)((char *)p - HEADER); }

struct arena {
	chunk *chunks;    // the one in use first
	chunk *spare;     // chunks of CHUNK bytes from earlier parses
	int spare_count;
	char *at, *limit; // the free part of the chunk in use
	block *freed[CLASSES + 1];
};

static __thread arena *current; // NULL where the runtime's memory comes from the system

static void *or_abort(void *p) {
	if (p == NULL) { // as the runtime's own allocator does: it has no way to report it
		fputs("out of memory while parsing\n", stderr);
		abort();
	}
	return p;
}

static void open_chunk(arena *a, size_t room) {
	chunk *c = a->spare;
	if (room == CHUNK && c != NULL) {
		a->spare = c->next;
		a->spare_count--;
	} else {
		c = or_abort(malloc(sizeof(chunk) + room));
	}
	c->room = room;
	c->next = a->chunks;
	a->chunks = c;
	a->at = (char *)(c + 1);
	a->limit = a->at + room;
}

static void *arena_malloc(size_t size) {
	arena *a = current;
	if (a == NULL) return size == 0 ? NULL : or_abort(malloc(size));
	size = size == 0 ? GRAIN : (size + GRAIN - 1) / GRAIN * GRAIN;
	size_t class = size / GRAIN;
	if (class <= CLASSES && a->freed[class] != NULL) {
		block *b = a->freed[class];
		a->freed[class] = b->next;
		return body(b);
	}
	size_t whole = size + HEADER;
	if ((size_t)(a->limit - a->at) < whole) open_chunk(a, whole > CHUNK ? whole : CHUNK);
	block *b = (block *)a->at;
	a->at += whole;
	b->size = size;
	return body(b);
}

static void *arena_calloc(size_t count, size_t size) {
	if (current == NULL) return or_abort(calloc(count, size));
	if (size != 0 && count > SIZE_MAX / size) return or_abort(NULL);
	return memset(arena_malloc(count * size), 0, count * size);
}

static void arena_free(void *p) {
	arena *a = current;
	if (a == NULL) {
		free(p);
		return;
	}
	if (p == NULL) return;
	block *b = block_of(p);
	size_t class = b->size / GRAIN;
	if (class > CLASSES) return; // gone with the arena
	b->next = a->freed[class];
	a->freed[class] = b;
}

static void *arena_realloc(void *p, size_t size) {
	if (current == NULL) return or_abort(realloc(p, size));
	if (p == NULL) return arena_malloc(size);
	block *b = block_of(p);
	if (size <= b->size) return p;
	void *moved = memcpy(arena_malloc(size), p, b->size);
	arena_free(p);
	return moved;
}

void arena_install(void) { ts_set_allocator(arena_malloc, arena_calloc, arena_realloc, arena_free); }

arena *arena_new(void) { return calloc(1, sizeof(arena)); }

static void delete_chunks(chunk *c) {
	while (c != NULL) {
		chunk *next = c->next;
		free(c);
		c = next;
	}
}

void arena_delete(arena *a) {
	if (a == NULL) return;
	delete_chunks(a->chunks);
	delete_chunks(a->spare);
	free(a);
}

void arena_enter(arena *a) { current = a; }

// keep puts a chunk aside for the next parse, or gives it back.
static void keep(arena *a, chunk *c) {
	if (c->room != CHUNK || a->spare_count == KEPT) {
		free(c);
		return;
	}
	a->spare_count++;
	c->next = a->spare;
	a->spare = c;
}

void arena_leave(arena *a) {
	current = NULL;
	memset(a->freed, 0, sizeof a->freed);
	a->at = a->limit = NULL;
	while (a->chunks != NULL) {
		chunk *c = a->chunks;
		a->chunks = c->next;
		keep(a, c);
	}
}
