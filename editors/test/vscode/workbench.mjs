// Run by vscode.sh: opens the demo in a real workbench, in a real browser, and looks for what a person would see.
// Usage: node workbench.mjs URL SCREENSHOT-FOLDER CHROMIUM

import { chromium } from "playwright-core";

const [url, shots, browserPath] = process.argv.slice(2);
const patience = 60_000;

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
page.setDefaultTimeout(patience);

async function step(what, action) {
  try {
    await action();
    console.log(`ok   ${what}`);
  } catch (error) {
    await page.screenshot({ path: `${shots}/failure.png` });
    console.error(`FAIL ${what}: ${error.message}`);
    await step("the report", async () => {
  await command("shardls: Show Report of HLO Dumps");
  const report = page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
  await report.getByRole("heading", { name: "Sharding of jit_train_step" }).waitFor();
  await report.getByText("all-reduce over").first().waitFor();
});
await page.screenshot({ path: `${shots}/report.png` });
await browser.close();
    process.exit(1);
  }
}

/** Runs a command of the palette by its full title. */
async function command(title) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input.input");
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await page.keyboard.press("Enter");
}

async function openFile(name) {
  await page.keyboard.press("Control+P");
  const input = page.locator(".quick-input-widget input.input");
  await input.waitFor();
  await input.fill(name);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(`.tab[data-resource-name="${name}"]`).waitFor();
}

async function goToLine(line) {
  await page.keyboard.press("Control+G");
  const input = page.locator(".quick-input-widget input.input");
  await input.waitFor();
  await input.fill(`:${line}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: `line ${line}` }).first().waitFor();
  await page.keyboard.press("Enter");
  await input.waitFor({ state: "hidden" });
}

const lens = (text) => page.locator(".codelens-decoration", { hasText: text });

await step("the workbench", async () => {
  for (let tries = 0; ; tries++) {
    try {
      await page.goto(url);
      break;
    } catch (error) {
      if (tries === 100) throw error; // the server is still starting
      await page.waitForTimeout(200);
    }
  }
  await page.locator(".monaco-workbench").waitFor();
});
await step("the demo opens", () => openFile("train.py"));
await step("the code lens of the train step", async () => {
  await goToLine(60);
  await lens(/all-reduce.*per step/).first().waitFor();
});
// The editor shows spaces as no-break spaces.
const lineOf = (text) => page.locator(".view-line", { hasText: new RegExp(text.replaceAll(" ", "\\s")) }).first();
await step("the inlay hint of a line", () => lineOf("logits = x @").getByText(/all-reduce.*KiB/).first().waitFor());
await step("the hover of that line", async () => {
  const box = await lineOf("logits = x @").boundingBox();
  await page.mouse.move(box.x + 50, box.y + box.height / 2);
  await page.mouse.move(box.x + 54, box.y + box.height / 2);
  await page.locator(".monaco-hover", { hasText: /executions? =/ }).first().waitFor();
});
await page.screenshot({ path: `${shots}/hover.png` });
await step("a misspelt axis is underlined and listed", async () => {
  await page.keyboard.press("Escape");
  await goToLine(72);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Backspace"); // P("data") becomes P("dat")
  await page.locator(".squiggly-error, .squiggly-warning").first().waitFor();
  await command("View: Toggle Problems");
  await page.locator(".markers-panel .monaco-list-row", { hasText: "SHD101" }).first().waitFor();
});
await page.screenshot({ path: `${shots}/problems.png` });
await step("the report", async () => {
  await command("shardls: Show Report of HLO Dumps");
  const report = page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
  await report.getByRole("heading", { name: "Sharding of jit_train_step" }).waitFor();
  await report.getByText("all-reduce over").first().waitFor();
});
await page.screenshot({ path: `${shots}/report.png` });
await browser.close();
