/** Callers that come while the work is under way wait for the same result. */
export function joined<T>(begin: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= begin().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
