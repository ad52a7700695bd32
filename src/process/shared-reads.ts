/**
 * Reads that take long and that many ask for: one at a time for each key. Callers that come while it is under way share the
 * next one, which sees everything that was committed before they came.
 */
export function createSharedReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const turns = new Map<string, { current: Promise<T>; next: Promise<T> | null }>();

  function begin(key: string): Promise<T> {
    const current = read(key);
    const turn = { current, next: null };
    turns.set(key, turn);
    const end = () => {
      if (turns.get(key) === turn && turn.next === null) turns.delete(key);
    };
    current.then(end, end);
    return current;
  }

  return (key) => {
    const turn = turns.get(key);
    if (!turn) return begin(key);
    turn.next ??= turn.current.then(
      () => begin(key),
      () => begin(key),
    );
    return turn.next;
  };
}
