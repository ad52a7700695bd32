/** Tells an endpoint's workflow that there is trouble: once per endpoint at a time, and nobody waits for it. */
export interface Endpoint {
  id: string;
  organizationId: string;
}

export interface AttendanceDeps {
  attend(endpoint: Endpoint): Promise<void>;
  /** The sweep makes up for it. */
  onFault(error: unknown): void;
}

export interface Attendance {
  troubled(endpoint: Endpoint): void;
  flush(): Promise<void>;
}

const QUIET_MS = 200;

export function createAttendance({ attend, onFault }: AttendanceDeps): Attendance {
  const underWay = new Map<string, Promise<void>>();
  const again = new Set<string>();

  function troubled(endpoint: Endpoint): void {
    if (underWay.has(endpoint.id)) {
      again.add(endpoint.id);
      return;
    }
    again.delete(endpoint.id);
    const call = attend(endpoint)
      .catch(onFault)
      // Many failures at once are one piece of news.
      .then(() => new Promise<void>((resolve) => setTimeout(resolve, QUIET_MS)))
      .finally(() => {
        underWay.delete(endpoint.id);
        if (again.has(endpoint.id)) troubled(endpoint);
      });
    underWay.set(endpoint.id, call);
  }

  return {
    troubled,
    async flush() {
      again.clear();
      await Promise.allSettled(underWay.values());
    },
  };
}
