-- :checkhealth shardls
local M = {}

function M.check()
  vim.health.start('shardls')
  local config = vim.lsp.config.shardls
  local cmd = config and config.cmd and config.cmd[1] or 'shardls'
  if vim.fn.executable(cmd) == 1 then
    local out = vim.system({ cmd, 'version' }, { text = true }):wait()
    vim.health.ok(cmd .. ': ' .. vim.trim(out.stdout or ''))
  else
    vim.health.error(cmd .. ' is not executable', { 'Put shardls on PATH or set cmd with vim.lsp.config().' })
  end
  if not vim.lsp.is_enabled or not vim.lsp.is_enabled('shardls') then
    vim.health.warn('not enabled', { "Call vim.lsp.enable('shardls')." })
  end
  local clients = vim.lsp.get_clients({ name = 'shardls' })
  if #clients == 0 then
    vim.health.info('no buffer is attached')
  end
  for _, client in ipairs(clients) do
    vim.health.ok(('attached, root %s, %s'):format(client.root_dir or 'none', client.offset_encoding))
  end
end

return M
