/** Reports in parts: whatever way they come, the whole is what the device has. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type ConfigReport,
  emptyReport,
  encodeConfigReport,
  encodeConfigReportParts,
} from '../../src/gateway/config-message.ts';
import { createConfigParts } from '../../src/gateway/config-parts.ts';
import { MalformedMessage } from '../../src/gateway/malformed-message.ts';
import { configReport } from './arbitraries.ts';

const MINUTE_MS = 60_000;
const OWNER = 'organization-1';
const at = (minutes: number) => new Date(1_767_225_600_000 + minutes * MINUTE_MS);
const report = (more: Partial<ConfigReport> = {}): ConfigReport => ({
  ...emptyReport(),
  serialNumber: '282C02424EED',
  configurationHash: 10,
  config: {
    transmissionInterval: 600,
    alarmRules: [{ condition: 'DISABLED', slotNumbers: [], action: 'NO_ACTION' }],
  },
  ...more,
});

describe('A configuration report in parts', () => {
  it('is whole with its last missing part, in any order and with any part twice', () =>
    fc.assert(
      fc.property(
        configReport,
        fc.constantFrom(2 as const, 3 as const),
        fc.nat(5),
        fc.boolean(),
        (whole, count, turn, isTwice) => {
          const parts = createConfigParts();
          const sent = encodeConfigReportParts(whole, count);
          const order = [...sent.slice(turn % count), ...sent.slice(0, turn % count)];
          if (turn > 2) order.reverse();
          const last = order.pop() as Uint8Array;
          for (const part of isTwice ? [...order, ...order] : order)
            assert.equal(parts.add(part, at(0), OWNER), null);
          assert.deepEqual(parts.add(last, at(1), OWNER), { ...whole, payloadSplitInfo: count });
          assert.equal(parts.waiting, 0);
        },
      ),
    ));

  it('that is one part is whole at once', () => {
    const parts = createConfigParts();
    for (const payloadSplitInfo of [0, 1]) {
      const one = report({ payloadSplitInfo });
      assert.deepEqual(parts.add(encodeConfigReport(one), at(0), OWNER), one);
    }
  });

  const [first, last] = encodeConfigReportParts(report(), 2) as [Uint8Array, Uint8Array];

  it('waits ten minutes for the rest, and no longer', () => {
    const parts = createConfigParts();
    parts.add(first, at(0), OWNER);
    assert.ok(parts.add(last, at(9), OWNER));
    parts.add(first, at(20), OWNER);
    assert.equal(parts.add(last, at(30), OWNER), null);
  });

  it('is of one configuration only: parts of two that come between each other make two', () => {
    const parts = createConfigParts();
    const other = report({ configurationHash: 11 });
    const [otherFirst, otherLast] = encodeConfigReportParts(other, 2) as [Uint8Array, Uint8Array];
    assert.equal(parts.add(first, at(0), OWNER), null);
    assert.equal(parts.add(otherLast, at(0), OWNER), null);
    assert.equal(parts.add(last, at(0), OWNER)?.configurationHash, 10);
    assert.equal(parts.add(otherFirst, at(0), OWNER)?.configurationHash, 11);
  });

  it('is of one device only, and of one organization', () => {
    const parts = createConfigParts();
    const [, foreign] = encodeConfigReportParts(report({ serialNumber: '282C02000001' }), 2) as [
      Uint8Array,
      Uint8Array,
    ];
    parts.add(first, at(0), 'a');
    assert.equal(parts.add(foreign, at(0), 'a'), null);
    assert.equal(parts.add(last, at(0), 'b'), null);
    assert.ok(parts.add(last, at(0), 'a'));
  });

  it('takes no more memory than its bounds', () => {
    const parts = createConfigParts({ reportsMax: 3, bytesMax: 100 });
    for (let device = 0; device < 10; device++) {
      const [part] = encodeConfigReportParts(report({ serialNumber: `282C0200000${device}` }), 2);
      parts.add(part as Uint8Array, at(0), OWNER);
    }
    assert.equal(parts.waiting, 3);
    const long = report({
      settings: { apn: 'a'.repeat(49), dataServerIp: 'b'.repeat(31), updateServerIp: 'c'.repeat(31) },
    });
    assert.throws(
      () => parts.add(encodeConfigReportParts(long, 2)[1] as Uint8Array, at(0), OWNER),
      MalformedMessage,
    );
  });
});
