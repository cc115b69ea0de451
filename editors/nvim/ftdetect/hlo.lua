-- Files that hold the text of a compiled module. XLA's own dumps are .txt; their names give them away.
vim.filetype.add({
  extension = { hlo = 'hlo' },
  pattern = { ['.*/module_%d+%..*%.txt'] = 'hlo' },
})
