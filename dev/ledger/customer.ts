/** Actions of customers while processes are killed: apply, cancel, retry, acknowledge, and edit endpoints. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerClient } from './client.ts';
import type { Journal } from './journal.ts';
import type { Receiver } from './receivers.ts';
import type { AcknowledgedJob, RuleMark } from './records.ts';

export interface CustomerOptions {
  client: LedgerClient;
  serials: readonly string[];
  /** Its URL and secret are edited; every event still has to arrive there. */
  edited: RegisteredEndpoint;
  /** It is disabled, enabled, deleted and registered again. */
  toggled: RegisteredEndpoint;
  random(): number;
  journal: Journal;
}

export interface RegisteredEndpoint {
  id: string;
  receiver: Receiver;
}

export interface Customer {
  jobs: AcknowledgedJob[];
  /** Acts until the signal, and then until the answer to the action under way. */
  actUntil(over: AbortSignal): Promise<void>;
}

const EVERY_MS = 2_500;
const PROFILES = 4;
const DEADLINE_MINUTES = 3;
const STEPS_C = 20;

export function createCustomer(options: CustomerOptions): Customer {
  const { client, serials, edited, toggled, random, journal } = options;
  const jobs: AcknowledgedJob[] = [];
  let applies = 0;
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

  async function apply(): Promise<void> {
    const mark = markOf(applies++);
    const slug = `ledger-${applies % PROFILES}`;
    await client.send('PUT', `/devices/config-profiles/${slug}`, { temperatureAlerts: [alertOf(mark)] });
    const share = random() * 0.5;
    const chosen = serials.filter(() => random() < share);
    if (chosen.length === 0) return;
    const { status, body } = await client.send('PUT', `/devices/config-profiles/${slug}/apply`, {
      serialNumbers: chosen,
      deadlineMinutes: DEADLINE_MINUTES,
      ...(random() < 0.4 && {
        rollout: { firstPercent: 20, minAppliedPercent: 50, abortFailedPercent: 60 },
      }),
    });
    expect(status, [200], 'apply', body);
    jobs.push({ jobId: body.jobId, mark, serials: chosen, isCancelled: false });
    journal.write('applied', { slug, mark, jobId: body.jobId, serials: chosen });
  }

  async function cancel(): Promise<void> {
    const job = pick(jobs.slice(-4));
    if (!job) return;
    // Recorded first, because the answer may come long after the job was cancelled.
    job.isCancelled = true;
    const { status, body } = await client.send('POST', `/devices/config-jobs/${job.jobId}/cancel`);
    expect(status, [200, 409], 'cancel', body);
    journal.write('cancelled', { jobId: job.jobId, status });
  }

  async function retry(): Promise<void> {
    const job = pick(jobs);
    if (!job) return;
    const { status, body } = await client.send('POST', `/devices/config-jobs/${job.jobId}/retry`);
    expect(status, [201, 409], 'retry', body);
    if (status === 201) jobs.push({ jobId: body.id, mark: job.mark, serials: null, isCancelled: false });
    journal.write('retried', { jobId: job.jobId, status, newJobId: status === 201 ? body.id : null });
  }

  async function acknowledge(): Promise<void> {
    const { body } = await client.get('/alerts?status=new&limit=20');
    const alert = pick(body.items as Array<{ id: string }>);
    if (!alert) return;
    const { status, body: answer } = await client.send('PATCH', `/alerts/${alert.id}`, {
      status: 'acknowledged',
    });
    expect(status, [200, 409], 'acknowledge', answer);
  }

  async function editEndpoint(): Promise<void> {
    const { id, receiver } = edited;
    const secret = toSecret(`ledger edit ${journal.nowMs()}`);
    // Signatures with the new secret are valid even before the service knows it.
    receiver.secrets.push(secret);
    const change = random() < 0.5 ? { url: `${receiver.url}?${journal.nowMs()}` } : { secret };
    const { status, body } = await client.send('PATCH', `/webhooks/${id}`, change);
    expect(status, [200], 'edit', body);
    journal.write('edited', { id });
  }

  async function toggleEndpoint(): Promise<void> {
    if (random() < 0.3) {
      const { status } = await client.send('DELETE', `/webhooks/${toggled.id}`);
      expect(status, [204, 404], 'delete', null);
      toggled.id = await registerWebhook(client, toggled.receiver);
    } else {
      const wanted = random() < 0.5 ? 'active' : 'disabled';
      const { status, body } = await client.send('PATCH', `/webhooks/${toggled.id}`, { status: wanted });
      expect(status, [200], 'toggle', body);
    }
    journal.write('toggled', { id: toggled.id });
  }

  const actions = [apply, apply, apply, cancel, retry, acknowledge, editEndpoint, toggleEndpoint];

  return {
    jobs,
    async actUntil(over) {
      for (let index = 0; index < PROFILES; index++) {
        const { status, body } = await client.send('POST', '/devices/config-profiles', {
          slug: `ledger-${index}`,
          temperatureAlerts: [alertOf(markOf(0))],
        });
        expect(status, [201], 'profile', body);
      }
      while (!over.aborted) {
        await pick(actions)?.();
        await delay(EVERY_MS * random() * 2);
      }
    },
  };
}

/** As required by Standard Webhooks: at least 24 bytes, in base64. */
export const toSecret = (text: string) => `whsec_${Buffer.from(text.padEnd(32, '.')).toString('base64')}`;

/** Subscribes to every type but the test, for a receiver that checks signatures. */
export async function registerWebhook(client: LedgerClient, receiver: Receiver): Promise<string> {
  const secret = receiver.secrets[0];
  const { status, body } = await client.send('POST', '/webhooks', {
    url: receiver.url,
    ...(secret !== undefined && { secret }),
  });
  expect(status, [201], 'webhook', body);
  return body.id;
}

/** A distinct value for every apply, within the temperatures of a fridge. */
const markOf = (apply: number): RuleMark => ({
  highC: Math.round((4.2 + (apply % STEPS_C) * 0.1) * 10) / 10,
  hysteresisC: Math.round((0.1 + (Math.floor(apply / STEPS_C) % 9) * 0.1) * 10) / 10,
});

const alertOf = ({ highC, hysteresisC }: RuleMark) => ({
  type: 'high',
  channel: 'probe',
  highC,
  hysteresisC,
});

export function expect(status: number, allowed: number[], what: string, body: unknown): void {
  if (!allowed.includes(status)) throw new Error(`${what} was answered ${status}: ${JSON.stringify(body)}`);
}
