/** Links in the static details of a run, for readers of the Temporal UI. */

/** Takes the path of a page below `/operator`. */
export type RunLinks = (path: string) => string;

/** `operatorUrl`: the public URL of the operators' page, beside which the documentation is; null: there is none. */
export function createRunLinks(operatorUrl: string | null): RunLinks {
  if (operatorUrl === null) return () => 'How to read and steer this run: docs/temporal-ui.md';
  const base = operatorUrl.replace(/\/+$/, '');
  return (path) =>
    [`[Page](${base}/operator/${path})`, `[How to read and steer this run](${base}/docs/temporal-ui)`].join(
      ' · ',
    );
}
