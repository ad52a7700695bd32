/** The service gave no complete answer: `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';

  constructor(url: string, cause: unknown) {
    super(`No answer from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
  }
}

/** `fetch` hides the reason in the cause of its error, and that of several addresses in a list of errors. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message, name } = error;
  if (cause instanceof Error) return reasonOf(cause);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first === undefined ? message || name : reasonOf(first);
}
