import type { TestedView } from './answers.ts';

/** The result of a test, in a sentence. */
export function testedText({ delivered, statusCode, durationMs, error }: TestedView): string {
  const status = statusCode === null ? '' : ` (status ${statusCode})`;
  return delivered
    ? `The test arrived${status}, in ${durationMs} ms.`
    : `The test did not arrive: ${error ?? 'no answer'}${status}.`;
}
