/** Clients that read answers slowly, by a clock of the test. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { createSlowReaderCheck } from '../../src/http/slow-readers.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';

const SIZE = 20_000_000;
const TIMEOUT_MS = 30_000;
const CHECK_MS = TIMEOUT_MS / 4;
/** 4 KiB a second. */
const BYTES_PER_CHECK_MIN = 30_720;

interface SlowAnswer {
  bytesPerCheck: number;
  /** Whether the whole answer is one write, of which the system takes some at a time. */
  isOneWrite?: boolean;
  /** When the client has read all that there is. */
  emptyAtMs?: number;
}

/** When the client is disconnected, in minutes; null: not within an hour. */
function minutesUntilCut({ bytesPerCheck, isOneWrite = false, emptyAtMs }: SlowAnswer): number | null {
  let nowMs = 0;
  let unread = SIZE;
  const cutAt: number[] = [];
  const socket = {
    get writableLength() {
      if (nowMs === emptyAtMs) return 0;
      return isOneWrite ? SIZE : unread;
    },
    _handle: {
      get bytesWritten() {
        return isOneWrite ? SIZE : SIZE - unread;
      },
      get writeQueueSize() {
        return isOneWrite ? unread : 0;
      },
    },
    destroy: () => void cutAt.push(nowMs / MINUTE_MS),
  };
  const answers = [{ socket: socket as unknown as Socket }];
  const check = createSlowReaderCheck(TIMEOUT_MS, () => nowMs);
  for (; nowMs <= HOUR_MS && cutAt.length === 0; nowMs += CHECK_MS) {
    check(answers);
    unread -= bytesPerCheck;
  }
  return cutAt[0] ?? null;
}

describe('Slow readers of answers', () => {
  it('disconnects a client after 30 seconds without a byte, or ten minutes with less than 4 KiB a second', () => {
    for (const isOneWrite of [false, true])
      assert.deepEqual(
        [0, 1, BYTES_PER_CHECK_MIN - 1, BYTES_PER_CHECK_MIN].map((bytesPerCheck) =>
          minutesUntilCut({ bytesPerCheck, isOneWrite }),
        ),
        [0.5, 10, 10, null],
      );
  });

  it('counts anew when the client has read all that there is', () => {
    const emptyAtMs = 5 * MINUTE_MS;
    const beginsAt = (emptyAtMs + CHECK_MS) / MINUTE_MS;
    assert.equal(minutesUntilCut({ bytesPerCheck: 1, emptyAtMs }), beginsAt + 10);
  });
});
