/**
 * `npm run diagrams`: draws the diagrams of the documents to docs/diagrams, in Chromium. Only this command
 * downloads Mermaid, so neither the service nor its tests need it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagramFile } from '../../src/site/diagrams.ts';
import { findChromium, startBrowser } from '../support/browser.ts';
import { FOLDER, listDiagrams, listDrawn } from './documented-diagrams.ts';

const MERMAID = 'mermaid@11.17.2';
const SETTINGS = {
  startOnLoad: false,
  deterministicIds: true,
  theme: 'neutral',
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  fontFamily: 'system-ui, sans-serif',
};

const chromium = findChromium();
if (chromium === null) throw new Error('Set CHROMIUM_PATH, or install Chromium');
const diagrams = listDiagrams();
const names = diagrams.map(diagramFile);
for (const name of listDrawn()) if (!names.includes(name)) rmSync(new URL(name, FOLDER));
const folder = mkdtempSync(join(tmpdir(), 'dms-diagrams-'));
const browser = await startBrowser(chromium);
try {
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', folder, MERMAID]);
  const page = await browser.newPage();
  await page.addScriptTag({ path: join(folder, 'node_modules/mermaid/dist/mermaid.min.js') });
  for (const text of diagrams) {
    const svg = await page.evaluate(
      `mermaid.initialize(${JSON.stringify(SETTINGS)}), mermaid.render('diagram', ${JSON.stringify(text)}).then(({ svg }) => svg)`,
    );
    writeFileSync(new URL(diagramFile(text), FOLDER), `${svg}\n`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.stdout.write(`${diagrams.length} diagrams drawn\n`);
