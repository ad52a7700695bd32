/** Barriers for people with disabilities on a page, as axe-core finds them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Pages that another colour scheme can break. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** One per line. */
export async function findBarriers(page: Page, runOnly = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Array<{ id: string; nodes: Array<{ html: string }> }>;
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}
