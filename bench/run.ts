/** `npm run bench [-- reads apply]`: each bench prints one table. Takes a few minutes on 2 cores. */
import { benchApply } from './apply.ts';
import { benchReads } from './reads.ts';
import { startStack } from './support/stack.ts';

const benches = { reads: benchReads, apply: benchApply };
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no bench ${unknown.join(', ')}: choose among ${Object.keys(benches).join(', ')}\n`,
  );
  process.exit(2);
}

const stack = await startStack();
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (chosen.length === 0 || chosen.includes(name)) await bench(stack);
  }
} finally {
  await stack.stop();
}
process.exit(0);
