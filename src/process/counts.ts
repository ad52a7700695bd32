/** Counts or sums by key. A key whose count is 0 takes no memory. */
export function createCounts() {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  function add(key: string, change: number): void {
    const count = of(key) + change;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }
  return {
    of,
    add,
    /** Counts one more of the key until the work is over. */
    async during<T>(key: string, work: () => Promise<T>): Promise<T> {
      add(key, 1);
      try {
        return await work();
      } finally {
        add(key, -1);
      }
    },
  };
}
