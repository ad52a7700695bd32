/**
 * Assembles configuration reports that a device splits (payload_split_info, proto_config.proto field 44).
 * Parts of one organization, serial number and configuration hash belong together, in any order and with
 * repetitions. Protobuf messages are merged by concatenation, so the whole report is the bytes of its parts
 * in the order of their numbers.
 *
 * Parts are kept as bytes, because decoded ones would take a multiple of the memory. Memory is bounded: by
 * time, by the number of incomplete reports and by the bytes of each. The least recently changed report is
 * evicted first; the next frame of its device shows that its hash is still unknown, and the device is asked
 * again.
 */
import { type ConfigReport, decodeConfigReport } from './config-message.ts';
import { MalformedMessage } from './wire-format.ts';

interface ConfigPartsOptions {
  incompleteMax?: number;
  /** Bytes of all parts of one report together. */
  bytesMax?: number;
}

interface ReceivedPart {
  /** Parts of different organizations are never combined. */
  organizationId: string;
  /** The decoded payload. */
  report: ConfigReport;
  payload: Uint8Array;
  receivedAt: Date;
}

export interface ConfigParts {
  /**
   * Returns the whole report when the part completes it, which an unsplit report does at once; null while
   * parts are missing.
   * @throws MalformedMessage
   */
  add(part: ReceivedPart): ConfigReport | null;
  readonly incompleteCount: number;
}

interface IncompleteReport {
  /** Payloads by number of the part, from 1. */
  parts: Map<number, Uint8Array>;
  /** Known once the last part has arrived. */
  total: number | null;
  changedMs: number;
}

/** How long a part waits for the others. */
const KEEP_MS = 10 * 60_000;
const INCOMPLETE_MAX = 10_000;
const BYTES_MAX = 16_384;

export function createConfigParts({
  incompleteMax = INCOMPLETE_MAX,
  bytesMax = BYTES_MAX,
}: ConfigPartsOptions = {}): ConfigParts {
  /** In the order of their last change. */
  const incomplete = new Map<string, IncompleteReport>();

  function evict(nowMs: number): void {
    for (const [key, { changedMs }] of incomplete) {
      if (nowMs - changedMs < KEEP_MS && incomplete.size <= incompleteMax) return;
      incomplete.delete(key);
    }
  }

  function store(key: string, { report, payload, receivedAt }: ReceivedPart): IncompleteReport {
    const stored: IncompleteReport = incomplete.get(key) ?? { parts: new Map(), total: null, changedMs: 0 };
    const { payloadSplitInfo } = report;
    if (payloadSplitInfo > 0) stored.total = payloadSplitInfo;
    // A copy, because the payload is a view of its datagram and would keep all of it in memory.
    stored.parts.set(Math.abs(payloadSplitInfo), new Uint8Array(payload));
    stored.changedMs = receivedAt.getTime();
    incomplete.delete(key);
    incomplete.set(key, stored);
    return stored;
  }

  return {
    add(part) {
      const { organizationId, report, receivedAt } = part;
      if (isUnsplit(report)) return report;
      evict(receivedAt.getTime());
      const key = `${organizationId} ${report.serialNumber} ${report.configurationHash}`;
      const stored = store(key, part);
      evict(receivedAt.getTime());
      if (byteCount(stored) > bytesMax) {
        incomplete.delete(key);
        throw new MalformedMessage(`Configuration report: its parts have over ${bytesMax} bytes`);
      }
      if (!isComplete(stored)) return null;
      incomplete.delete(key);
      return decodeConfigReport(concatenate(stored));
    },
    get incompleteCount() {
      return incomplete.size;
    },
  };
}

const isUnsplit = ({ payloadSplitInfo }: ConfigReport) => payloadSplitInfo === 0 || payloadSplitInfo === 1;

const byteCount = ({ parts }: IncompleteReport) =>
  [...parts.values()].reduce((sum, { length }) => sum + length, 0);

function isComplete({ parts, total }: IncompleteReport): boolean {
  if (total === null) return false;
  for (let number = 1; number <= total; number++) if (!parts.has(number)) return false;
  return true;
}

function concatenate({ parts, total }: IncompleteReport): Uint8Array {
  const numbers = Array.from({ length: total as number }, (_, index) => index + 1);
  return Buffer.concat(numbers.map((number) => parts.get(number) as Uint8Array));
}
