/**
 * The migrations in order; listed here, so that source and built code know them by the same names.
 *
 * The baseline is one file per table. From here on released migrations are not edited: every change of the schema
 * is a new migration that running code of the version before survives. So a new column is nullable or has a default,
 * and what the version before still uses is dropped one version later.
 *
 * Names: `<table>_pkey`, `<table>_<columns>_key`, `<table>_<what>_fkey`, `<table>_<what>_check`, and
 * `<table>_<what>_idx` for indexes. Primary keys and foreign keys of tenant tables begin with `organization_id`, so
 * that the tables can be distributed by it (Citus); it is left out of these names.
 */
import * as organizations from './001-organizations.ts';
import * as apiKeys from './002-api-keys.ts';
import * as assets from './003-assets.ts';
import * as assetReplacements from './004-asset-replacements.ts';
import * as profiles from './005-profiles.ts';
import * as configurations from './006-configurations.ts';
import * as deviceConfigs from './007-device-configs.ts';
import * as deviceStates from './008-device-states.ts';
import * as configJobs from './009-config-jobs.ts';
import * as configTargets from './010-config-targets.ts';
import * as endpoints from './011-endpoints.ts';
import * as events from './012-events.ts';
import * as deliveries from './013-deliveries.ts';
import * as deliveryAttempts from './014-delivery-attempts.ts';
import * as measurements from './015-measurements.ts';
import * as alerts from './016-alerts.ts';
import * as certificates from './017-certificates.ts';
import * as idempotencyKeys from './018-idempotency-keys.ts';
import * as unregisteredDevices from './019-unregistered-devices.ts';
import * as ingressHeartbeats from './020-ingress-heartbeats.ts';
import * as ingressOutages from './021-ingress-outages.ts';
import * as deviceInfoWithoutTokens from './022-device-info-without-tokens.ts';
import * as certificateChunks from './023-certificate-chunks.ts';
import * as endpointQueues from './024-endpoint-queues.ts';
import * as deliveryIndexes from './025-delivery-indexes.ts';
import * as jobStageBeginning from './026-job-stage-beginning.ts';
import * as refusedKeys from './027-refused-keys.ts';
import * as overdueFleets from './028-overdue-fleets.ts';
import * as lazyTimers from './029-lazy-timers.ts';
import * as sweepIndexes from './030-sweep-indexes.ts';
import * as listTotals from './031-list-totals.ts';
import * as measurementBlocks from './032-measurement-blocks.ts';
import * as deviceInfos from './033-device-infos.ts';
import * as uncompactedFrom from './034-uncompacted-from.ts';
import * as latestReadings from './036-latest-readings.ts';
import * as scheduledJobs from './038-scheduled-jobs.ts';
import * as keyRoles from './046-key-roles.ts';
import * as auditEntries from './047-audit-entries.ts';
import * as deviceTokens from './048-device-tokens.ts';
import * as groups from './054-groups.ts';
import * as assetGroups from './055-asset-groups.ts';
import * as targetGroups from './056-target-groups.ts';
import * as alertTypes from './058-alert-types.ts';
import * as alertTotalsByType from './059-alert-totals-by-type.ts';
import * as notificationChannels from './060-notification-channels.ts';
import * as notificationAlerts from './061-notification-alerts.ts';
import * as notifications from './062-notifications.ts';
import * as schemaSupport from './063-schema-support.ts';
import * as deviceColumnsToListBy from './066-device-columns-to-list-by.ts';
import * as deviceListIndexes from './067-device-list-indexes.ts';
import * as deviceTotals from './068-device-totals.ts';
import * as eventTraces from './069-event-traces.ts';
import * as endpointDisabledAt from './071-endpoint-disabled-at.ts';
import * as operatorSessions from './080-operator-sessions.ts';
import * as endpointHours from './081-endpoint-hours.ts';
import * as assetNamesIndex from './082-asset-names-index.ts';
import * as syncStatusByTrigger from './084-sync-status-by-trigger.ts';
import * as cheaperAssetGrams from './087-cheaper-asset-grams.ts';
import * as roomForTargetStates from './090-room-for-target-states.ts';
import * as targetListIndexes from './091-target-list-indexes.ts';
import * as cancelRequests from './100-cancel-requests.ts';
import * as partitionsByOwner from './110-partitions-by-owner.ts';
import * as groupWithdrawals from './115-group-withdrawals.ts';
import * as driftComparedWhenItCanChange from './120-drift-compared-when-it-can-change.ts';
import * as partitionsWithoutStatistics from './125-partitions-without-statistics.ts';

export const migrations = {
  '001-organizations': organizations,
  '002-api-keys': apiKeys,
  '003-assets': assets,
  '004-asset-replacements': assetReplacements,
  '005-profiles': profiles,
  '006-configurations': configurations,
  '007-device-configs': deviceConfigs,
  '008-device-states': deviceStates,
  '009-config-jobs': configJobs,
  '010-config-targets': configTargets,
  '011-endpoints': endpoints,
  '012-events': events,
  '013-deliveries': deliveries,
  '014-delivery-attempts': deliveryAttempts,
  '015-measurements': measurements,
  '016-alerts': alerts,
  '017-certificates': certificates,
  '018-idempotency-keys': idempotencyKeys,
  '019-unregistered-devices': unregisteredDevices,
  '020-ingress-heartbeats': ingressHeartbeats,
  '021-ingress-outages': ingressOutages,
  '022-device-info-without-tokens': deviceInfoWithoutTokens,
  '023-certificate-chunks': certificateChunks,
  '024-endpoint-queues': endpointQueues,
  '025-delivery-indexes': deliveryIndexes,
  '026-job-stage-beginning': jobStageBeginning,
  '027-refused-keys': refusedKeys,
  '028-overdue-fleets': overdueFleets,
  '029-lazy-timers': lazyTimers,
  '030-sweep-indexes': sweepIndexes,
  '031-list-totals': listTotals,
  '032-measurement-blocks': measurementBlocks,
  '033-device-infos': deviceInfos,
  '034-uncompacted-from': uncompactedFrom,
  '036-latest-readings': latestReadings,
  '038-scheduled-jobs': scheduledJobs,
  '046-key-roles': keyRoles,
  '047-audit-entries': auditEntries,
  '048-device-tokens': deviceTokens,
  '054-groups': groups,
  '055-asset-groups': assetGroups,
  '056-target-groups': targetGroups,
  '058-alert-types': alertTypes,
  '059-alert-totals-by-type': alertTotalsByType,
  '060-notification-channels': notificationChannels,
  '061-notification-alerts': notificationAlerts,
  '062-notifications': notifications,
  '063-schema-support': schemaSupport,
  '066-device-columns-to-list-by': deviceColumnsToListBy,
  '067-device-list-indexes': deviceListIndexes,
  '068-device-totals': deviceTotals,
  '069-event-traces': eventTraces,
  '071-endpoint-disabled-at': endpointDisabledAt,
  '080-operator-sessions': operatorSessions,
  '081-endpoint-hours': endpointHours,
  '082-asset-names-index': assetNamesIndex,
  '084-sync-status-by-trigger': syncStatusByTrigger,
  '087-cheaper-asset-grams': cheaperAssetGrams,
  '090-room-for-target-states': roomForTargetStates,
  '091-target-list-indexes': targetListIndexes,
  '100-cancel-requests': cancelRequests,
  '110-partitions-by-owner': partitionsByOwner,
  '115-group-withdrawals': groupWithdrawals,
  '120-drift-compared-when-it-can-change': driftComparedWhenItCanChange,
  '125-partitions-without-statistics': partitionsWithoutStatistics,
};
