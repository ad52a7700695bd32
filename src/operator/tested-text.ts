import type { TestedView } from './answers.ts';
import { type Content, html } from './html.ts';

/** The result of a test, in a sentence. */
export function testedText({ delivered, statusCode, durationMs, error }: TestedView): Content {
  const status = statusCode === null ? '' : ` (status ${statusCode})`;
  return delivered
    ? `The test arrived${status}, in ${durationMs} ms.`
    : html`<span class="problem">The test did not arrive: ${error ?? 'no answer'}${status}.</span>`;
}
