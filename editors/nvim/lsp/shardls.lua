-- Configuration of the shardls language server for vim.lsp.enable() (Neovim 0.11 or newer).

---@type vim.lsp.Config
return {
  cmd = { 'shardls', 'serve' },
  filetypes = { 'python', 'hlo' },
  root_markers = { { 'shardls.toml', '.shardls.toml' }, 'pyproject.toml', '.git' },
  -- Everything that shardls reads from its settings, below its own key; see the README for what there is.
  settings = { shardls = {} },
  before_init = function(params, config)
    params.initializationOptions = (config.settings or {}).shardls
  end,
  on_attach = function(client, bufnr)
    local function command(name, lsp_command, description)
      vim.api.nvim_buf_create_user_command(bufnr, name, function()
        client:exec_cmd({ title = description, command = lsp_command }, { bufnr = bufnr })
      end, { desc = description })
    end
    command('LspShardlsReloadDumps', 'shardls.reloadDumps', 'Read the HLO dumps again')
    vim.api.nvim_buf_create_user_command(bufnr, 'LspShardlsReport', function(arguments)
      client:request('workspace/executeCommand', { command = 'shardls.report' }, function(err, page)
        if err then
          vim.notify('shardls: ' .. err.message, vim.log.levels.ERROR)
          return
        end
        local path = arguments.args ~= '' and vim.fn.expand(arguments.args) or vim.fn.tempname() .. '.html'
        vim.fn.writefile(vim.split(page.html, '\n'), path)
        if arguments.args == '' then
          vim.ui.open(path)
        end
      end, bufnr)
    end, { nargs = '?', complete = 'file', desc = 'Show a page about the HLO dumps, or write it to a file' })
  end,
}
