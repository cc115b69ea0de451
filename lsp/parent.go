package lsp

import "time"

// parentPoll is how often the editor's process is looked for.
const parentPoll = 2 * time.Second

// watchParent ends the session when the process pid dies: an editor that crashes may leave its end of the pipe open in
// another process. A pid that can't be seen to begin with (another container's, for example) is not watched.
func (s *session) watchParent(pid int) {
	if pid <= 1 || !processAlive(pid) {
		return
	}
	s.spawn("parent", func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-tick.C:
				if !processAlive(pid) {
					s.log.Info("the editor's process is gone")
					s.stop()
					return
				}
			}
		}
	})
}
