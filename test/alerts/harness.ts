/**
 * Shared by the tests of alerts: for each test a customer with a device, whose readings begin six hours ago.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { apply, applyAnswer, createProfile, register } from '../support/fleet.ts';
import { payloadsOf } from '../support/payloads.ts';
import { useOrganization, useService } from '../support/service.ts';

/** Bounds of the profile FRIDGE. */
export const FRIDGE_BOUNDS = { lowC: 2, highC: 8, hysteresisC: 0.5 };
/** No server listens there. */
export const CLOSED_URL = 'http://127.0.0.1:9/hook';

export interface AlertItem {
  id: string;
  type: string;
  severity: string;
  status: string;
  serialNumber: string;
  timestamp: string;
  updatedAt: string;
  late: boolean;
  endedAt: string | null;
  extreme: { value: number; at: string } | null;
  details: Record<string, unknown>;
}

/** Registers the hooks of a suite. Without a worker, only the test writes to the device. */
export function useDevice({ withWorker = false } = {}) {
  let serial: string;
  let assetId: string;
  let startMs: number;
  let count = 0;
  let aheadMs = 0;

  async function newDevice(more: object = {}, newSerial = `DEVICE-${++count}`): Promise<void> {
    serial = newSerial;
    assetId = await register(org, serial, { name: `Room of ${serial}`, ...more });
  }
  const dms = useService({ withWorker, now: () => new Date(Date.now() + aheadMs) });
  const org = useOrganization(dms);
  beforeEach(async () => {
    await newDevice();
    startMs = Date.now() - 360 * MINUTE_MS;
  });
  afterEach(() => {
    aheadMs = 0;
  });

  /** Applies the profile; the device does not report that it runs it. */
  async function applyProfile(profile: object): Promise<void> {
    const slug = await createProfile(org, { slug: `rules-${++count}`, ...profile });
    await apply(org, slug, { serialNumbers: [serial] });
  }
  const at = (minute: number) => new Date(startMs + minute * MINUTE_MS).toISOString();
  const reading = (minute: number, value: number, more: object = {}) => ({
    channel: 1,
    type: 'temperature',
    value,
    measuredAt: at(minute),
    ...more,
  });
  async function send(readings: object[], more: object = {}): Promise<void> {
    const { status, text } = await org.device.post(`/devices/${serial}/measurements`, { readings, ...more });
    assert.equal(status, 202, text);
  }
  async function list(
    more = '',
  ): Promise<{ items: AlertItem[]; totalItems: number; nextCursor: string | null }> {
    const { status, body, text } = await org.api.get(`/alerts?assetId=${assetId}${more}`);
    assert.equal(status, 200, text);
    return body;
  }
  /** Oldest first. */
  const alerts = async () => (await list()).items.toReversed();

  return {
    dms,
    org,
    get serial() {
      return serial;
    },
    get assetId() {
      return assetId;
    },
    /** Replaces the device of the test. */
    newDevice,
    async replaceHardware(): Promise<void> {
      serial = `DEVICE-${++count}`;
      await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: serial });
    },
    setClock(time: number): void {
      aheadMs = time - Date.now();
    },
    applyProfile,
    /** Applies the profile; the device reports that it runs it. */
    async confirmProfile(profile: object): Promise<void> {
      await applyProfile(profile);
      await applyAnswer(org, serial);
    },
    /** Minutes after the first reading. */
    at,
    reading,
    send,
    /** One frame per value, a minute apart. */
    async measure(minute: number, ...values: number[]): Promise<void> {
      for (const [index, value] of values.entries()) await send([reading(minute + index, value)]);
    },
    list,
    alerts,
    statuses: async () => (await alerts()).map(({ type, status }) => `${type} ${status}`),
    async onlyAlert(): Promise<AlertItem> {
      const [first, ...others] = await alerts();
      assert.deepEqual(others, []);
      return first as AlertItem;
    },
    acknowledge: (id: string, by = org) => by.api.patch(`/alerts/${id}`, { status: 'acknowledged' }),
    async subscribe(events: string[], url = CLOSED_URL): Promise<string> {
      const { status, body, text } = await org.api.post('/webhooks', { url, events });
      assert.equal(status, 201, text);
      return body.id;
    },
    /** Payloads of the deliveries, oldest first. */
    published: (webhookId: string) => payloadsOf(org, webhookId),
    countEvents: async () =>
      (await query(dms.service.sql, 'select 1 from events where organization_id = ?', [org.id])).length,
  };
}
