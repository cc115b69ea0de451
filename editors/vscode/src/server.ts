// Finds the server's program.

import * as fs from "node:fs/promises";
import * as path from "node:path";

const program = process.platform === "win32" ? "shardls.exe" : "shardls";

/** The program that the settings name, else the one inside the extension, else the one on PATH. */
export async function findServer(extension: string, configured: string): Promise<string | undefined> {
  if (configured) {
    return (await isExecutable(configured)) ? configured : undefined;
  }
  const folders = [path.join(extension, "bin"), ...(process.env["PATH"] ?? "").split(path.delimiter)];
  for (const folder of folders) {
    const candidate = path.join(folder, program);
    if (folder && (await isExecutable(candidate))) {
      return candidate;
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await fs.access(file, fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
