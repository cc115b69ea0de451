package project

import (
	"fmt"

	"github.com/shardls/shardls/hlomap"
)

// gigabyte is what link rates are configured in: 10^9 bytes a second.
const gigabyte = 1e9

// Hardware is the accelerator that costs are estimated for: the named one, else the configured one, with the configured
// link rates. It is nil where nothing names one; the error says that a name is not known.
func (w *Workspace) Hardware(name string) (*hlomap.Hardware, error) {
	c, err := w.Config()
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = c.Hardware.Name
	}
	if name == "" {
		if c.Hardware.ICIGBps > 0 || c.Hardware.DCNGBps > 0 {
			return nil, fmt.Errorf("hardware: link rates need hardware.name, which says what they are the rates of")
		}
		return nil, nil
	}
	h, err := hlomap.HardwareNamed(name)
	if err != nil {
		return nil, err
	}
	if c.Hardware.ICIGBps > 0 {
		h.Link = c.Hardware.ICIGBps * gigabyte
	}
	if c.Hardware.DCNGBps > 0 {
		h.Network = c.Hardware.DCNGBps * gigabyte
	}
	return h, nil
}
