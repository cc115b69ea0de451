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
  end,
}
