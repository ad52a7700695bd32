/** States on the pages, and the sentences that say what they mean. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { toText } from '../../src/operator/html.ts';
import { badge, quietState } from '../../src/operator/parts.ts';
import { ALL_STATES, meaningOf } from '../../src/operator/states.ts';

describe('The states on the pages', () => {
  it('shows on hover what each state means, as a badge takes no other word', () => {
    for (const state of ALL_STATES)
      for (const shown of [badge(state), quietState(state)])
        assert.match(toText(shown), / title="[A-Z].+\."/, state);
  });

  it('lists the same sentences in the documentation', () => {
    const text = readFileSync(new URL('../../docs/states.md', import.meta.url), 'utf8');
    const listed = [...text.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, state, meaning]) => [
      state,
      meaning,
    ]);
    assert.deepEqual(
      listed,
      ALL_STATES.map((state) => [state, meaningOf(state)]),
    );
  });
});
