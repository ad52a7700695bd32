/** States on the pages, and the sentences that say what they mean. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ALERT_STATUSES } from '../../src/alerts/alert.ts';
import { JOB_STATUSES, TARGET_STATES } from '../../src/config-jobs/config-job.ts';
import { DELIVERY_STATES } from '../../src/deliveries/delivery.ts';
import { BATTERY_STATUSES, SIGNAL_STRENGTHS } from '../../src/devices/device-status.ts';
import { SYNC_STATUSES } from '../../src/devices/device-sync.ts';
import { ENDPOINT_STATUSES } from '../../src/endpoints/endpoint.ts';
import { HEALTH_STATES } from '../../src/endpoints/shown-health.ts';
import { POLICY_STATUSES } from '../../src/escalations/escalation-policy.ts';
import { SHOWN_STATUSES } from '../../src/notifications/notification-channel.ts';
import { toText } from '../../src/operator/html.ts';
import { badge } from '../../src/operator/parts.ts';
import { meaningOf, STATES_WITH_MEANING } from '../../src/operator/state-meanings.ts';
import { DEVICE_STATUSES } from '../../src/presence/presence.ts';

const ALL: readonly string[] = [
  ...ALERT_STATUSES,
  ...BATTERY_STATUSES,
  ...DELIVERY_STATES,
  ...DEVICE_STATUSES,
  ...ENDPOINT_STATUSES,
  ...HEALTH_STATES,
  ...JOB_STATUSES,
  ...POLICY_STATUSES,
  ...SIGNAL_STRENGTHS,
  ...SHOWN_STATUSES,
  ...SYNC_STATUSES,
  ...TARGET_STATES,
];

describe('The states on the pages', () => {
  it('says on hover what each state of the database means', () => {
    const unexplained = ALL.filter((state) => !/ title="[A-Z].+\."/.test(toText(badge(state))));
    assert.deepEqual(unexplained, []);
  });

  it('says the same in the documentation', () => {
    const text = readFileSync(new URL('../../docs/states.md', import.meta.url), 'utf8');
    const missing = STATES_WITH_MEANING.filter((state) => !text.includes(`| ${meaningOf(state)} |`));
    assert.deepEqual(missing, []);
  });

  it('explains no word that is no state', () => {
    assert.equal(toText(badge('3 open')), '<span class="badge quiet">3 open</span>');
  });
});
