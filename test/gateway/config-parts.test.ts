/** Split reports: in any order of the parts, the assembled report is the one of the device. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyReport,
  encodeConfigReport,
  encodeConfigReportParts,
} from '../../dev/simulator/logger-messages.ts';
import { type ConfigReport, decodeConfigReport } from '../../src/gateway/config-message.ts';
import { type ConfigParts, createConfigParts } from '../../src/gateway/config-parts.ts';
import { MalformedMessage } from '../../src/gateway/wire-format.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { configReport } from './arbitraries.ts';

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
const SERIALS = Array.from({ length: 6 }, (_, index) => `282C02424EE${index}`);
/** Two parts. */
const split = (whole: ConfigReport) => encodeConfigReportParts(whole, 2) as [Uint8Array, Uint8Array];
const add = (parts: ConfigParts, payload: Uint8Array, receivedAt: Date, organizationId = 'organization-1') =>
  parts.add({ organizationId, report: decodeConfigReport(payload), payload, receivedAt });

describe('A split configuration report', () => {
  it('completes with the last missing part, in any order and with repeated parts', () =>
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
            assert.equal(add(parts, part, at(0)), null);
          assert.deepEqual(add(parts, last, at(1)), { ...whole, payloadSplitInfo: count });
          assert.equal(parts.incompleteCount, 0);
        },
      ),
    ));

  it('completes at once with a single part', () => {
    const parts = createConfigParts();
    for (const payloadSplitInfo of [0, 1]) {
      const one = report({ payloadSplitInfo });
      assert.deepEqual(add(parts, encodeConfigReport(one), at(0)), one);
    }
  });

  const [first, last] = split(report());

  it('keeps fresh parts whatever is left of organizations that send nothing any more', () => {
    const parts = createConfigParts({ incompleteMax: 3 });
    for (const serialNumber of SERIALS.slice(0, 3))
      add(parts, split(report({ serialNumber }))[0], at(0), 'silent');
    const fresh = SERIALS.slice(3).map((serialNumber) => split(report({ serialNumber })));
    for (const [part] of fresh) add(parts, part, at(11));
    for (const [, part] of fresh) assert.ok(add(parts, part, at(12)));
  });

  it('waits ten minutes after each part for the next one, and no longer', () => {
    const parts = createConfigParts();
    const [one, two, three] = encodeConfigReportParts(report(), 3) as [Uint8Array, Uint8Array, Uint8Array];
    add(parts, one, at(0));
    add(parts, two, at(9));
    assert.ok(add(parts, three, at(18)));
    add(parts, first, at(20));
    assert.equal(add(parts, last, at(30)), null);
  });

  it('combines only parts of one configuration, even when the parts of two alternate', () => {
    const parts = createConfigParts();
    const [otherFirst, otherLast] = split(report({ configurationHash: 11 }));
    assert.equal(add(parts, first, at(0)), null);
    assert.equal(add(parts, otherLast, at(0)), null);
    assert.equal(add(parts, last, at(0))?.configurationHash, 10);
    assert.equal(add(parts, otherFirst, at(0))?.configurationHash, 11);
  });

  it('combines only parts of one device of one organization', () => {
    const parts = createConfigParts();
    const [, foreign] = split(report({ serialNumber: '282C02000001' }));
    add(parts, first, at(0), 'a');
    assert.equal(add(parts, foreign, at(0), 'a'), null);
    assert.equal(add(parts, last, at(0), 'b'), null);
    assert.ok(add(parts, last, at(0), 'a'));
  });

  it('completes whatever many reports another organization begins', () => {
    const parts = createConfigParts({ incompleteMax: 3 });
    add(parts, first, at(0), 'a');
    for (let configurationHash = 20; configurationHash < 30; configurationHash++)
      add(parts, split(report({ configurationHash }))[0], at(1), 'b');
    assert.equal(parts.incompleteCount, 3);
    assert.ok(add(parts, last, at(2), 'a'));
  });

  it('takes no more memory than its limits allow', () => {
    const parts = createConfigParts({ incompleteMax: 3, bytesMax: 100 });
    for (let device = 0; device < 10; device++) {
      const [part] = split(report({ serialNumber: `282C0200000${device}` }));
      add(parts, part, at(0));
    }
    assert.equal(parts.incompleteCount, 3);
    const long = report({ cloudToken: 'a'.repeat(100) });
    assert.throws(() => add(parts, split(long)[1], at(0)), MalformedMessage);
  });
});
