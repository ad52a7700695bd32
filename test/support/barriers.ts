/** Barriers for people with disabilities on a page, as axe-core finds them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Pages that another colour scheme can break. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Pages that another width can break, where it hides, moves or shrinks parts. */
export const LAYOUT_RULES = [
  ...COLOUR_RULES,
  ...['target-size', 'scrollable-region-focusable', 'region', 'heading-order', 'page-has-heading-one'],
  ...['landmark-one-main', 'bypass', 'skip-link', 'css-orientation-lock', 'aria-hidden-focus'],
];

/** Offers axe-core to each page of the context that wants it: to send it to a page takes as long as to run it there. */
export const offerAxe = (context: BrowserContext) =>
  context.addInitScript({ content: `globalThis.startAxe = () => {\n${AXE}\n};` });

/** One per line. */
export async function findBarriers(page: Page, runOnly = ALL_RULES): Promise<string[]> {
  const isThere = await page.evaluate('globalThis.axe || globalThis.startAxe?.(), "axe" in globalThis');
  if (!isThere) await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Array<{ id: string; nodes: Array<{ html: string }> }>;
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}
