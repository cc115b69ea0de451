// An arena serves what the tree-sitter runtime allocates during one parse, and is emptied as a whole afterwards: the runtime makes
// several small objects for every token, and freeing these one by one costs as much as making them.
#ifndef SHARDLS_PYPARSE_ARENA_H
#define SHARDLS_PYPARSE_ARENA_H

#include <stddef.h>

typedef struct arena arena;

// arena_install makes the runtime ask this file for memory. It has to be called once, before the first parse.
void arena_install(void);

arena *arena_new(void); // NULL when there is no memory
void arena_delete(arena *a);

// Between arena_enter and arena_leave the runtime's memory on this thread comes from a. Leaving frees all of it.
void arena_enter(arena *a);
void arena_leave(arena *a);

#endif
