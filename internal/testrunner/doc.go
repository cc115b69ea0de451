// Package testrunner runs tests that are data: Python fixtures with want comments, matched one to one.
package testrunner
