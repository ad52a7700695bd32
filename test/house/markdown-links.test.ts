/** The documents: every relative link and every anchor resolves. Links to other sites are not followed. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NOT_OURS = ['node_modules', 'dist'];
const CODE = /^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm;
const LINK = /\]\(<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s*(\S+)/gm;
const HEADING = /^#{1,6} +(.+?)(?: +#+)?$/gm;

function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || NOT_OURS.includes(entry.name)) return [];
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Relative targets of inline and reference links. */
function linksIn(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(CODE, '');
  return [...text.matchAll(LINK)]
    .map(([, inline, reference]) => inline ?? (reference as string))
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** Anchors in the form of GitHub: words in lower case with hyphens, a number for each repetition. */
function anchorsIn(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
  const counts = new Map<string, number>();
  const anchors = [...text.matchAll(HEADING)].map(([, heading]) => {
    const shown = (heading as string).replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

function resolves(path: string, target: string): boolean {
  const [file = '', anchor] = decodeURI(target).split('#');
  const to = file === '' ? path : resolve(dirname(path), file);
  if (!existsSync(to)) return false;
  return anchor === undefined || !to.endsWith('.md') || anchorsIn(to).has(anchor);
}

describe('The documents', () => {
  const files = markdownFiles(ROOT);

  it('links only to files and headings that exist', () => {
    const broken = files.flatMap((path) =>
      linksIn(path)
        .filter((target) => !resolves(path, target))
        .map((target) => `${relative(ROOT, path)}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  it('contains links with anchors, so the check has something to find', () => {
    assert.ok(files.includes(join(ROOT, 'README.md')));
    assert.ok(files.flatMap(linksIn).some((target) => target.includes('#')));
  });
});
