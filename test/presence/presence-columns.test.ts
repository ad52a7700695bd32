import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const UPDATES = /update device_states\b.*?\bset\b(.*?)(?=\bfrom\b|\bwhere\b|`|$)/gs;
const PRESENCE = /\b(status|last_contact_at|expected_by)\s*=/;

const writesPresence = (text: string): boolean =>
  [...text.matchAll(UPDATES)].some(([, assignments]) => PRESENCE.test(assignments as string));

describe('The columns of presence', () => {
  it('writes the columns of presence in the slice of presence alone', () => {
    const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const writers = paths.filter((path) => writesPresence(readFileSync(join(SRC, path), 'utf8')));
    assert.deepEqual(writers, ['presence/presence.statements.ts']);
  });

  it('recognizes a statement that writes the columns of presence', () => {
    assert.ok(writesPresence('`update device_states s set open_alerts = 1, status = n.status from n`'));
    assert.ok(writesPresence('`update device_states\n set expected_by = null`'));
    assert.ok(!writesPresence(`\`update device_states set open_alerts = 1 where status = 'online'\``));
  });
});
