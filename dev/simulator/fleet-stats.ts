/** Counters of a running fleet. */
export interface FleetStats {
  devices: number;
  /** Devices whose last confirmable message was acknowledged. */
  online: number;
  /** Devices that never transmit. */
  mute: number;
  sent: { con: number; non: number };
  acknowledged: number;
  /** Confirmable messages without an acknowledgement. */
  lost: number;
  /** Quantiles of the latest acknowledgements; null before the first one. */
  ackMs: { p50: number | null; p95: number | null };
  /** waiting: devices that do not know yet whether the service has their configuration. */
  configurations: { applied: number; refused: number; waiting: number };
  readings: number;
  errors: Record<string, number>;
}

export interface FleetCounter {
  sent(confirmable: boolean, readings: number): void;
  acknowledged(ms: number): void;
  lost(kind: string): void;
  counts(): Pick<FleetStats, 'sent' | 'acknowledged' | 'lost' | 'ackMs' | 'readings' | 'errors'>;
}

const LATEST_MAX = 5_000;

export function createFleetCounter(): FleetCounter {
  const sent = { con: 0, non: 0 };
  const errors: Record<string, number> = {};
  const latestMs: number[] = [];
  let [acknowledged, lost, readings] = [0, 0, 0];
  return {
    sent(confirmable, count) {
      sent[confirmable ? 'con' : 'non']++;
      readings += count;
    },
    acknowledged(ms) {
      latestMs[acknowledged++ % LATEST_MAX] = ms;
    },
    lost(kind) {
      lost++;
      errors[kind] = (errors[kind] ?? 0) + 1;
    },
    counts() {
      const sorted = [...latestMs].sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? null;
      const ackMs = { p50: at(0.5), p95: at(0.95) };
      return { sent: { ...sent }, acknowledged, lost, ackMs, readings, errors: { ...errors } };
    },
  };
}
