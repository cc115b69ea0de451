-- Run by nvim.sh in a headless Neovim: opens the demo and asks the editor what a person would see.
local root, server, editor = vim.env.SHARDLS_DEMO, vim.env.SHARDLS, vim.env.SHARDLS_EDITOR

local function fail(message)
  io.stderr:write('FAIL ' .. message .. '\n')
  vim.cmd('cquit 1')
end

-- Waits until condition returns something; the time limit is only there so that a failure ends.
local function eventually(what, condition)
  local value
  local ok = vim.wait(60000, function()
    value = condition()
    return value ~= nil and value ~= false
  end, 50)
  if not ok then
    local log = io.open(vim.lsp.get_log_path())
    fail('never saw ' .. what .. '\n' .. (log and log:read('*a') or ''))
  end
  io.stdout:write('ok   ' .. what .. '\n')
  return value
end

local function request(buffer, method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 30000) or {}
  for _, answer in pairs(answers) do
    if answer.err then
      fail(method .. ': ' .. vim.inspect(answer.err))
    end
    return answer.result
  end
end

vim.opt.runtimepath:append(editor)
vim.cmd('filetype plugin on')
vim.lsp.config('shardls', { cmd = { server, 'serve' } })
vim.lsp.enable('shardls')
vim.cmd.edit(root .. '/train.py')
local buffer = vim.api.nvim_get_current_buf()

local client = eventually('the server attached', function()
  return vim.lsp.get_clients({ bufnr = buffer, name = 'shardls' })[1]
end)
if client.offset_encoding ~= 'utf-8' then
  fail('the encoding is ' .. client.offset_encoding)
end

local function lineOf(pattern)
  for i, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if line:find(pattern) then
      return i
    end
  end
  fail('no line ' .. pattern)
end

eventually('the code lens of the train step', function()
  vim.lsp.codelens.refresh({ bufnr = buffer })
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    if lens.range.start.line + 1 == lineOf('^def train_step') then
      return lens.command.title:find('all%-reduce') and lens.command.title:find('per step')
    end
  end
end)

eventually('the finding of the dump', function()
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    if d.code == 'SHD601' and d.lnum + 1 == lineOf('logits = x @') then
      return true
    end
  end
end)

eventually('the hover of the output projection', function()
  local line = lineOf('logits = x @')
  local hover = request(buffer, 'textDocument/hover', {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    position = { line = line - 1, character = 8 },
  })
  local text = hover and hover.contents.value or ''
  return text:find('all%-reduce', 1) and text:find('bf16') and text:find('KiB')
end)

-- Neovim asks for the hints of the lines in its window.
vim.api.nvim_win_set_cursor(0, { lineOf('logits = x @'), 0 })
vim.cmd.normal({ 'zz', bang = true })
vim.cmd.redraw()
vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
eventually('the inlay hint of that line', function()
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    if hint.inlay_hint.position.line + 1 == lineOf('logits = x @') then
      return true
    end
  end
end)

vim.cmd.LspShardlsReport(root .. '/report.html')
eventually('the page about the dumps', function()
  local page = io.open(root .. '/report.html')
  return page and page:read('*a'):find('Sharding of jit_train_step', 1, true)
end)

-- A misspelt axis, typed by the person.
local line = lineOf('batch = NamedSharding%(mesh, P%("data"%)%)')
vim.api.nvim_buf_set_lines(buffer, line - 1, line, false, { '        batch = NamedSharding(mesh, P("dat"))  # 模型🙂' })
local diagnostic = eventually('the diagnostic of a misspelt axis', function()
  for _, d in ipairs(vim.diagnostic.get(buffer, { lnum = line - 1 })) do
    if d.code == 'SHD101' and d.source == 'shardls' then
      return d
    end
  end
end)

local actions = request(buffer, 'textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(buffer),
  range = vim.lsp.util.make_given_range_params({ line, diagnostic.col }, { line, diagnostic.col }, buffer, 'utf-8').range,
  context = { diagnostics = { diagnostic.user_data.lsp } },
})
for _, action in ipairs(actions) do
  if action.title:find('data', 1, true) then
    vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
    break
  end
end
local fixed = vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1]
if not fixed:find('P("data")', 1, true) then
  fail('the fix made ' .. fixed)
end
io.stdout:write('ok   the quick fix\n')
eventually('the end of the diagnostic', function()
  return #vim.diagnostic.get(buffer, { lnum = line - 1 }) == 0
end)

client:stop()
eventually('the end of the server', function()
  return client:is_stopped()
end)
vim.cmd('qall!')
