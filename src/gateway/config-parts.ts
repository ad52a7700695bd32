/**
 * Configuration reports that come in parts (payload_split_info, proto_config.proto field 44) put together. Parts of
 * one serial and one configuration hash belong together, in whatever order and however often they come. Protobuf
 * messages merge by being put one after the other, so the whole is the parts' bytes in the order of their numbers.
 *
 * Only waiting parts are kept, within bounds: for ten minutes, of so many reports, and so many bytes for each. What
 * does not fit is forgotten, the oldest report first; the next frame of the device shows that its hash is still
 * unknown, and it is asked again.
 */
import { type ConfigReport, decodeConfigReport } from './config-message.ts';
import { MalformedMessage } from './malformed-message.ts';

export interface ConfigPartsOptions {
  /** How long a part waits for the others. */
  keepMs?: number;
  /** Reports that are waited for at a time. */
  reportsMax?: number;
  /** Of all parts of one report together. */
  bytesMax?: number;
}

export interface ConfigParts {
  /**
   * The whole report when this message completes one, null while parts are missing. Parts of two organizations never
   * meet: whose a part is has to be known before.
   *
   * @throws MalformedMessage
   */
  add(payload: Uint8Array, now: Date, organizationId: string): ConfigReport | null;
  /** Reports that are waited for. */
  readonly waiting: number;
}

interface Gathered {
  /** By number of the part, from 1. */
  parts: Map<number, Uint8Array>;
  /** Known with the last part. */
  total: number | null;
  changedMs: number;
}

const KEEP_MS = 10 * 60_000;
const REPORTS_MAX = 10_000;
const BYTES_MAX = 16_384;

export function createConfigParts({
  keepMs = KEEP_MS,
  reportsMax = REPORTS_MAX,
  bytesMax = BYTES_MAX,
}: ConfigPartsOptions = {}): ConfigParts {
  /** The one that changed longest ago comes first. */
  const gatheredOf = new Map<string, Gathered>();

  function forgetOld(nowMs: number): void {
    for (const [key, { changedMs }] of gatheredOf) {
      if (nowMs - changedMs < keepMs && gatheredOf.size <= reportsMax) return;
      gatheredOf.delete(key);
    }
  }

  function gather(key: string, report: ConfigReport, payload: Uint8Array, nowMs: number): Gathered {
    const gathered: Gathered = gatheredOf.get(key) ?? { parts: new Map(), total: null, changedMs: nowMs };
    const { payloadSplitInfo } = report;
    if (payloadSplitInfo > 0) gathered.total = payloadSplitInfo;
    // A copy: the payload is a piece of a buffer that would be kept with it.
    gathered.parts.set(Math.abs(payloadSplitInfo), payload.slice());
    gathered.changedMs = nowMs;
    gatheredOf.delete(key);
    gatheredOf.set(key, gathered);
    return gathered;
  }

  return {
    add(payload, now, organizationId) {
      const report = decodeConfigReport(payload);
      if (report.payloadSplitInfo === 0 || report.payloadSplitInfo === 1) return report;
      forgetOld(now.getTime());
      const key = [organizationId, report.serialNumber, report.configurationHash].join(' ');
      const gathered = gather(key, report, payload, now.getTime());
      forgetOld(now.getTime());
      if (sizeOf(gathered) > bytesMax) {
        gatheredOf.delete(key);
        throw new MalformedMessage(`Configuration report: its parts have over ${bytesMax} bytes`);
      }
      if (!isComplete(gathered)) return null;
      gatheredOf.delete(key);
      return decodeConfigReport(whole(gathered));
    },
    get waiting() {
      return gatheredOf.size;
    },
  };
}

const sizeOf = ({ parts }: Gathered) => [...parts.values()].reduce((sum, { length }) => sum + length, 0);

function isComplete({ parts, total }: Gathered): boolean {
  if (total === null) return false;
  for (let number = 1; number <= total; number++) if (!parts.has(number)) return false;
  return true;
}

function whole({ parts, total }: Gathered): Uint8Array {
  const numbers = Array.from({ length: total as number }, (_, index) => index + 1);
  return Buffer.concat(numbers.map((number) => parts.get(number) as Uint8Array));
}
