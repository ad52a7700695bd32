/**
 * Assembles configuration reports that a device splits (payload_split_info, proto_config.proto field 44).
 * Parts of one organization, serial number and configuration hash belong together, in any order and with
 * repetitions. Protobuf messages are merged by concatenation, so the whole report is the bytes of its parts
 * in the order of their numbers.
 *
 * Parts are kept as bytes, because decoded ones would take a multiple of the memory. Memory is bounded: by
 * time, by the number of incomplete reports and by the bytes of each. The organization that has most loses its
 * least recently changed report first; the next frame of that device shows that its hash is still unknown, and the
 * device is asked again.
 */
import { type ConfigReport, decodeConfigReport } from './config-message.ts';
import { MalformedMessage } from './wire-format.ts';

interface ReceivedPart {
  /** Parts of different organizations are never combined. */
  organizationId: string;
  /** The decoded payload. */
  report: ConfigReport;
  payload: Uint8Array;
  receivedAt: Date;
}

export type ConfigParts = ReturnType<typeof createConfigParts>;

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
/** Of all parts of one report together. */
const BYTES_MAX = 16_384;

export function createConfigParts({ incompleteMax = INCOMPLETE_MAX, bytesMax = BYTES_MAX } = {}) {
  /** Of each organization, in the order of their last change. */
  const incomplete = new Map<string, Map<string, IncompleteReport>>();
  let count = 0;

  function remove(organizationId: string, key: string): void {
    const own = incomplete.get(organizationId);
    if (own?.delete(key)) count--;
    if (own?.size === 0) incomplete.delete(organizationId);
  }

  function expire(organizationId: string, nowMs: number): void {
    for (const [key, { changedMs }] of incomplete.get(organizationId) ?? []) {
      if (nowMs - changedMs < KEEP_MS) return;
      remove(organizationId, key);
    }
  }

  /** Of organizations that send nothing any more, too. */
  function expireAll(nowMs: number): void {
    for (const organizationId of incomplete.keys()) expire(organizationId, nowMs);
  }

  function evict(): void {
    const [organizationId, own] = [...incomplete].reduce((most, each) =>
      each[1].size > most[1].size ? each : most,
    );
    const [oldest] = own.keys();
    remove(organizationId, oldest as string);
  }

  function store(
    key: string,
    { organizationId, report, payload, receivedAt }: ReceivedPart,
  ): IncompleteReport {
    const own = incomplete.get(organizationId) ?? new Map<string, IncompleteReport>();
    incomplete.set(organizationId, own);
    const stored = own.get(key) ?? { parts: new Map<number, Uint8Array>(), total: null, changedMs: 0 };
    const { payloadSplitInfo } = report;
    if (payloadSplitInfo > 0) stored.total = payloadSplitInfo;
    // A copy, because the payload is a view of its datagram and would keep all of it in memory.
    stored.parts.set(Math.abs(payloadSplitInfo), new Uint8Array(payload));
    stored.changedMs = receivedAt.getTime();
    if (!own.delete(key)) count++;
    own.set(key, stored);
    return stored;
  }

  return {
    /**
     * Returns the whole report when the part completes it, which an unsplit report does at once; null while
     * parts are missing.
     * @throws MalformedMessage
     */
    add(part: ReceivedPart): ConfigReport | null {
      const { organizationId, report, receivedAt } = part;
      if (isUnsplit(report)) return report;
      expire(organizationId, receivedAt.getTime());
      const key = `${report.serialNumber} ${report.configurationHash}`;
      const stored = store(key, part);
      if (count > incompleteMax) expireAll(receivedAt.getTime());
      if (count > incompleteMax) evict();
      if (byteCount(stored) > bytesMax) {
        remove(organizationId, key);
        throw new MalformedMessage(`Configuration report: its parts have over ${bytesMax} bytes`);
      }
      if (!isComplete(stored)) return null;
      remove(organizationId, key);
      return decodeConfigReport(concatenate(stored));
    },
    get incompleteCount() {
      return count;
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
