/** Writes the `sh` blocks of a page to files, numbered in their order and named by section and number in it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const [page, folder] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
let count = 0;
for (const section of readFileSync(page, 'utf8').split(/^## /m).slice(1)) {
  const number = /^(\d+)\./.exec(section)?.[1] ?? 'x';
  [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].forEach(([, block], index) => {
    const name = `${String(++count).padStart(2, '0')}-${number}-${index + 1}.sh`;
    writeFileSync(`${folder}/${name}`, block);
  });
}
