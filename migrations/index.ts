/** The migrations in order; listed here, so that source and built code know them by the same names. */
import * as organizations from './001-organizations.ts';
import * as apiKeys from './002-api-keys.ts';
import * as assets from './003-assets.ts';
import * as assetReplacements from './004-asset-replacements.ts';
import * as profiles from './005-profiles.ts';
import * as configurations from './006-configurations.ts';
import * as deviceConfigs from './007-device-configs.ts';
import * as configJobs from './008-config-jobs.ts';
import * as configTargets from './009-config-targets.ts';
import * as webhooks from './010-webhooks.ts';
import * as certificates from './011-certificates.ts';
import * as idempotencyKeys from './012-idempotency-keys.ts';
import * as unknownDevices from './013-unknown-devices.ts';
import * as webhookEvents from './014-webhook-events.ts';
import * as deliveries from './015-deliveries.ts';
import * as deliveryAttempts from './016-delivery-attempts.ts';
import * as webhookHealth from './017-webhook-health.ts';
import * as deviceStates from './018-device-states.ts';
import * as measurements from './019-measurements.ts';
import * as alerts from './020-alerts.ts';
import * as deviceConfigHash from './021-device-config-hash.ts';
import * as assetSerials from './022-asset-serials.ts';
import * as deliveredAtOnce from './023-delivered-at-once.ts';
import * as targetsOfAssets from './024-targets-of-assets.ts';
import * as listeners from './025-listeners.ts';
import * as storedUntil from './026-stored-until.ts';
import * as layoutReported from './027-layout-reported.ts';

export const migrations = {
  '001-organizations': organizations,
  '002-api-keys': apiKeys,
  '003-assets': assets,
  '004-asset-replacements': assetReplacements,
  '005-profiles': profiles,
  '006-configurations': configurations,
  '007-device-configs': deviceConfigs,
  '008-config-jobs': configJobs,
  '009-config-targets': configTargets,
  '010-webhooks': webhooks,
  '011-certificates': certificates,
  '012-idempotency-keys': idempotencyKeys,
  '013-unknown-devices': unknownDevices,
  '014-webhook-events': webhookEvents,
  '015-deliveries': deliveries,
  '016-delivery-attempts': deliveryAttempts,
  '017-webhook-health': webhookHealth,
  '018-device-states': deviceStates,
  '019-measurements': measurements,
  '020-alerts': alerts,
  '021-device-config-hash': deviceConfigHash,
  '022-asset-serials': assetSerials,
  '023-delivered-at-once': deliveredAtOnce,
  '024-targets-of-assets': targetsOfAssets,
  '025-listeners': listeners,
  '026-stored-until': storedUntil,
  '027-layout-reported': layoutReported,
};
