/** Files that are being sent while their session ends: the tests count looks at the session and set the clock. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { revocable } from '../../src/http/responder.ts';
import { createDownload } from '../../src/operator/downloads.service.ts';
import type { Session } from '../../src/operator/session.ts';

const SESSION: Session = {
  organizationId: 'organization',
  id: 'session',
  organizationName: 'Organization',
  name: 'Ada',
  role: 'read',
  keyId: null,
};

describe('A file that is being sent', () => {
  let nowMs: number;
  let looks: number;
  let isActive: boolean;

  beforeEach(() => {
    nowMs = 0;
    looks = 0;
    isActive = true;
  });

  /** The clock moves on before each piece. */
  async function download(pieces: number, stepMs: number): Promise<Readable> {
    async function* piecewise() {
      for (let piece = 0; piece < pieces; piece++) {
        nowMs += stepMs;
        yield `${piece} `;
      }
    }
    const send = createDownload({
      revocable,
      call: async () => ({ status: 200, body: Readable.from(piecewise(), { highWaterMark: 1 }) }),
      async isActive() {
        looks++;
        return isActive;
      },
      monotonicMs: () => nowMs,
    });
    return (await send(SESSION, 'exportMeasurements', {})).stream;
  }

  it('breaks off once its session has ended', async () => {
    isActive = false;
    await assert.rejects(text(await download(2_000, 3_000)), /the session has ended/);
    assert.equal(looks, 1);
  });

  it('arrives whole while its session lasts, and costs one look at it in 3 s', async () => {
    assert.equal((await text(await download(60, 100))).split(' ').length, 61);
    assert.ok(looks <= 2, `${looks} looks in 6 s`);
  });
});
