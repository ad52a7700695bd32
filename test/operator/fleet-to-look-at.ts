/**
 * A fleet that covers every case: devices in every state, a curve with a breach and a gap, jobs, webhooks.
 */

import { MINUTE_MS } from '../../src/process/durations.ts';
import { apply, applyAnswer, createProfile, register } from '../support/fleet.ts';
import type { Receiver } from '../support/receiver.ts';
import type { TestOrganization } from '../support/service.ts';

export interface FleetToLookAt {
  /** Has a breach, a gap and a pending change. */
  assetId: string;
  jobId: string;
  /** Its receiver fails. */
  webhookId: string;
  channelId: string;
  cellularId: string;
  deliveryId: string;
  alertId: string;
  groupId: string;
  archivedId: string;
}

/** An address of each page, below `/operator`. */
export const pathsToLookAt = ({ assetId, jobId, webhookId, ...other }: FleetToLookAt): string[] => [
  '',
  '/fleet',
  '/groups',
  `/groups/${other.groupId}`,
  '/profiles',
  '/profiles/colder',
  '/keys',
  '/sessions',
  '/audit',
  '/apply?slug=colder',
  '/exports',
  '/escalations',
  '/forms/createProfile',
  '/forms/createEscalation',
  `/forms/archiveAsset?assetId=${assetId}`,
  `/forms/muteAsset?assetId=${assetId}`,
  '/unregistered',
  '/archived',
  `/archived/${other.archivedId}`,
  `/devices/${assetId}`,
  `/devices/${assetId}/history`,
  `/devices/${assetId}/statistics`,
  '/jobs',
  `/jobs/${jobId}`,
  '/alerts?status=all',
  `/alerts/${other.alertId}`,
  '/maintenance',
  '/webhooks',
  `/webhooks/events/${webhookId}`,
  `/webhooks/events/${webhookId}/deliveries/${other.deliveryId}`,
  `/webhooks/cellular/${other.cellularId}`,
  '/channels',
  '/import',
];

const PLACES = [
  'Vaccine fridge',
  'Blood bank',
  'Kitchen cold room',
  'Laboratory freezer',
  'Warm water',
  'Pharmacy',
];
const PROFILE = {
  temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8, hysteresisC: 0.5 }],
  intervals: { measurementIntervalMinutes: 5 },
};

export async function populateFleet(
  organization: TestOrganization,
  { receiver, devices = 8 }: { receiver: Receiver; devices?: number },
): Promise<FleetToLookAt> {
  const { api } = organization;
  const serials = Array.from(
    { length: devices },
    (_, index) => `282C0242${(0x4e00 + index).toString(16).toUpperCase()}`,
  );
  const ids: string[] = [];
  for (const [index, serial] of serials.entries())
    ids.push(await register(organization, serial, descriptionOf(index)));
  const slug = await createProfile(organization, {
    slug: 'vaccine-fridge',
    name: 'Vaccine fridge',
    ...PROFILE,
  });
  const transmitting = serials.slice(0, -2);
  const first = await apply(organization, slug, { serialNumbers: serials.slice(0, -1) });
  for (const serial of transmitting.slice(0, -1)) await applyAnswer(organization, serial);
  receiver.answer((response) => response.writeHead(503).end('maintenance until noon'));
  const { body: webhook } = await api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
  const { body: cellular } = await api.post('/cellular-webhooks', {
    url: `${receiver.url}/readings`,
    name: 'Data lake',
  });
  const { body: channel } = await api.post('/notification-channels', {
    type: 'webhook',
    target: receiver.url,
  });
  for (const [index, serial] of transmitting.entries()) await sendDay(organization, serial, index);
  const colder = await createProfile(organization, {
    slug: 'colder',
    temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 1, highC: 6 }],
  });
  await apply(organization, colder, { serialNumbers: [serials[0]] });
  const until = new Date(Date.now() + 60 * MINUTE_MS).toISOString();
  await api.post(`/assets/${ids.at(-1)}/mute`, { until, reason: 'Defrosting' });
  const [assetId = '', secondId] = ids;
  const { body: group } = await api.post('/groups', { name: 'Cold rooms', profileSlug: slug });
  await api.patch(`/assets/${secondId}`, { groupId: group.id });
  const archivedId = await register(organization, '282C02424DFF', { name: 'Old freezer' });
  await api.delete(`/assets/${archivedId}`);
  const firstOf = async (path: string): Promise<string> => (await api.get(path)).body.items[0].id;
  return {
    assetId,
    jobId: first,
    webhookId: webhook.id,
    channelId: channel.id,
    cellularId: cellular.id,
    groupId: group.id,
    archivedId,
    alertId: await firstOf(`/alerts?assetId=${assetId}`),
    deliveryId: await firstOf(`/webhooks/${webhook.id}/deliveries`),
  };
}

const descriptionOf = (index: number) => ({
  name: `${PLACES[index % PLACES.length]} ${1 + Math.floor(index / PLACES.length)}`,
  model: index % 3 === 0 ? 'TVO-THT' : 'TVO-T',
  buildingId: index % 2 === 0 ? 'main' : 'annex',
  floor: index % 4,
});

/** A reading every five minutes; the first device is too warm for an hour, and was away for two. */
async function sendDay(organization: TestOrganization, serial: string, index: number): Promise<void> {
  // The last reading is far from being followed by a gap.
  const now = Date.now();
  const minutes = Array.from({ length: 280 }, (_, step) => 5 * (279 - step) + 1);
  const readings = minutes
    .filter((ago) => index !== 0 || ago < 700 || ago > 820)
    .flatMap((ago) => {
      const measuredAt = new Date(now - ago * MINUTE_MS).toISOString();
      const wave = 5 + Math.sin(ago / 90 + index) * 1.2 + Math.sin(ago / 11) * 0.25;
      const value = Math.round((index === 0 && ago < 190 && ago > 60 ? wave + 4 : wave) * 10) / 10;
      const humidity = {
        channel: 2,
        type: 'humidity',
        value: Math.round(42 + Math.sin(ago / 200) * 6),
        measuredAt,
      };
      return [
        { channel: 'probe', type: 'temperature', value, measuredAt },
        ...(index % 3 === 0 ? [humidity] : []),
      ];
    });
  const states = { batteryStatus: index === 2 ? 'low' : 'ok', signal: 20 + ((index * 7) % 40) };
  const { status, text } = await organization.device.post(`/devices/${serial}/measurements`, {
    readings,
    ...states,
  });
  if (status !== 202) throw new Error(text);
}
