// Starts the shardls language server and offers its commands. All knowledge is in the server.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, State } from "vscode-languageclient/node";
import { findServer } from "./server";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("shardls", { log: true });
  const status = vscode.languages.createLanguageStatusItem("shardls", [{ language: "python" }, { language: "hlo" }]);
  status.name = "shardls";
  status.command = { command: "shardls.showLog", title: "Show Log" };
  context.subscriptions.push(log, status);

  const start = async () => {
    await client?.stop();
    client = await startClient(context, log, status);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("shardls.restart", start),
    vscode.commands.registerCommand("shardls.showLog", () => log.show()),
    vscode.commands.registerCommand("shardls.reload", () =>
      client?.sendRequest("workspace/executeCommand", { command: "shardls.reloadDumps" }),
    ),
    vscode.commands.registerCommand("shardls.showReport", showReport),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      // Every other setting reaches the running server through the protocol.
      if (event.affectsConfiguration("shardls.path") || event.affectsConfiguration("shardls.logLevel")) {
        await start();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(start),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** Shows the server's page about the compiled modules. It stands alone: nothing is loaded, and no script runs. */
async function showReport(): Promise<void> {
  try {
    const page = await client?.sendRequest<{ html: string }>("workspace/executeCommand", { command: "shardls.report" });
    if (page) {
      const panel = vscode.window.createWebviewPanel("shardls.report", "shardls report", vscode.ViewColumn.Beside);
      panel.webview.html = page.html;
    }
  } catch (error) {
    void vscode.window.showErrorMessage(`shardls: ${error instanceof Error ? error.message : error}`);
  }
}

async function startClient(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  status: vscode.LanguageStatusItem,
): Promise<LanguageClient | undefined> {
  const settings = vscode.workspace.getConfiguration("shardls");
  const command = await findServer(context.extensionPath, settings.get<string>("path", ""));
  if (!command) {
    status.text = "shardls: no server";
    status.severity = vscode.LanguageStatusSeverity.Error;
    void vscode.window.showErrorMessage("shardls is not installed: put it on PATH or set shardls.path.");
    return undefined;
  }
  const server: ServerOptions = {
    command,
    args: ["serve", "--log-level", settings.get<string>("logLevel", "warn")],
  };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
      { scheme: "file", language: "hlo" },
    ],
    initializationOptions: settings,
    outputChannel: log,
    synchronize: { configurationSection: "shardls" },
  };
  const started = new LanguageClient("shardls", "shardls", server, options);
  started.onDidChangeState(({ newState }) => {
    const running = newState === State.Running;
    status.text = running ? "shardls" : "shardls: not running";
    status.detail = running ? `${started.initializeResult?.serverInfo?.version ?? ""} ${command}`.trim() : undefined;
    status.severity = running ? vscode.LanguageStatusSeverity.Information : vscode.LanguageStatusSeverity.Warning;
  });
  await started.start();
  return started;
}
