/** So many at a time for each key, first come first served: one key that is slow waits for itself alone. */
export interface Places {
  hold<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Room {
  taken: number;
  waiting: Array<() => void>;
}

export function createPlaces(perKeyMax: number): Places {
  const rooms = new Map<string, Room>();

  async function enter(key: string): Promise<void> {
    const room = rooms.get(key) ?? { taken: 0, waiting: [] };
    rooms.set(key, room);
    if (room.taken < perKeyMax) room.taken++;
    else await new Promise<void>((resolve) => room.waiting.push(resolve));
  }

  /** The place goes straight to the next in line. */
  function leave(key: string): void {
    const room = rooms.get(key) as Room;
    const next = room.waiting.shift();
    if (next) next();
    else if (--room.taken === 0) rooms.delete(key);
  }

  return {
    async hold(key, work) {
      await enter(key);
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}
