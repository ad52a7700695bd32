/**
 * The migrations in order; listed here, so that source and built code know them by the same names.
 *
 * The baseline is one file per table. Released migrations are not edited: every change of the schema is a new migration
 * that running code of the release before survives. So a new column is nullable or has a default, and a column that the
 * release before still uses is dropped one release later.
 *
 * Names: `<table>_pkey`, `<table>_<columns>_key`, `<table>_<what>_fkey`, `<table>_<what>_check`, and
 * `<table>_<what>_idx` for indexes. Primary keys and foreign keys of tenant tables begin with `organization_id`, so
 * that the tables can be distributed by it (Citus); it is left out of these names.
 *
 * Keep the order in which the indexes of a table are created: among plans that cost the same, PostgreSQL chooses by it.
 * For an organization that its statistics do not know yet, the wrong index reads every row of the organization.
 * `test/db/unknown-organization.test.ts` shows it.
 */
import * as organizations from './001-organizations.ts';
import * as apiKeys from './002-api-keys.ts';
import * as operatorSessions from './003-operator-sessions.ts';
import * as idempotencyKeys from './004-idempotency-keys.ts';
import * as listTotals from './005-list-totals.ts';
import * as listChanges from './006-list-changes.ts';
import * as profiles from './007-profiles.ts';
import * as groups from './008-groups.ts';
import * as groupWithdrawals from './009-group-withdrawals.ts';
import * as assets from './010-assets.ts';
import * as assetReplacements from './011-asset-replacements.ts';
import * as configurations from './012-configurations.ts';
import * as deviceConfigs from './013-device-configs.ts';
import * as deviceStates from './014-device-states.ts';
import * as deviceInfos from './015-device-infos.ts';
import * as unregisteredDevices from './016-unregistered-devices.ts';
import * as certificates from './017-certificates.ts';
import * as certificateChunks from './018-certificate-chunks.ts';
import * as certificateRemovals from './019-certificate-removals.ts';
import * as configJobs from './020-config-jobs.ts';
import * as configTargets from './021-config-targets.ts';
import * as alerts from './022-alerts.ts';
import * as overdueFleets from './023-overdue-fleets.ts';
import * as measurementBlocks from './024-measurement-blocks.ts';
import * as events from './025-events.ts';
import * as endpoints from './026-endpoints.ts';
import * as endpointHours from './027-endpoint-hours.ts';
import * as deliveries from './028-deliveries.ts';
import * as deliveryAttempts from './029-delivery-attempts.ts';
import * as deliveryReplays from './030-delivery-replays.ts';
import * as notificationChannels from './031-notification-channels.ts';
import * as notificationAlerts from './032-notification-alerts.ts';
import * as notifications from './033-notifications.ts';
import * as auditEntries from './034-audit-entries.ts';
import * as ingressHeartbeats from './035-ingress-heartbeats.ts';
import * as ingressOutages from './036-ingress-outages.ts';
import * as leases from './037-leases.ts';
import * as schemaSupport from './038-schema-support.ts';
import * as mailAddresses from './039-mail-addresses.ts';
import * as sentMails from './040-sent-mails.ts';
import * as timeZoneRules from './041-time-zone-rules.ts';
import * as alertActions from './042-alert-actions.ts';
import * as deviceSettings from './043-device-settings.ts';
import * as blockPeriods from './044-block-periods.ts';
import * as alertSeverity from './045-alert-severity.ts';
import * as mutes from './046-mutes.ts';
import * as openAlerts from './047-open-alerts.ts';
import * as lateAlerts from './048-late-alerts.ts';
import * as escalations from './049-escalations.ts';
import * as countsByIndex from './050-counts-by-index.ts';
import * as devicesWithoutProfile from './051-devices-without-profile.ts';
import * as overAtOnce from './052-over-at-once.ts';
import * as stageZero from './053-stage-zero.ts';
import * as withdrawalRuns from './054-withdrawal-runs.ts';
import * as freshReadings from './055-fresh-readings.ts';
import * as deviceUrgency from './056-device-urgency.ts';
import * as partitionStorage from './057-partition-storage.ts';
import * as jobCreators from './058-job-creators.ts';
import * as jobOrigins from './059-job-origins.ts';
import * as stepsGathered from './060-steps-gathered.ts';
import * as withdrawalAuthors from './061-withdrawal-authors.ts';
import * as channelNames from './062-channel-names.ts';
import * as keyUses from './063-key-uses.ts';
import * as overdueChecks from './064-overdue-checks.ts';
import * as disabledPolicies from './065-disabled-policies.ts';
import * as drainBegins from './066-drain-begins.ts';
import * as rareRows from './067-rare-rows.ts';
import * as inviters from './068-inviters.ts';
import * as excursions from './069-excursions.ts';
import * as laterMessages from './070-later-messages.ts';
import * as hadProfile from './071-had-profile.ts';
import * as alertsOfAChannel from './072-alerts-of-a-channel.ts';
import * as settingsByProfile from './073-settings-by-profile.ts';

export const migrations = {
  '001-organizations': organizations,
  '002-api-keys': apiKeys,
  '003-operator-sessions': operatorSessions,
  '004-idempotency-keys': idempotencyKeys,
  '005-list-totals': listTotals,
  '006-list-changes': listChanges,
  '007-profiles': profiles,
  '008-groups': groups,
  '009-group-withdrawals': groupWithdrawals,
  '010-assets': assets,
  '011-asset-replacements': assetReplacements,
  '012-configurations': configurations,
  '013-device-configs': deviceConfigs,
  '014-device-states': deviceStates,
  '015-device-infos': deviceInfos,
  '016-unregistered-devices': unregisteredDevices,
  '017-certificates': certificates,
  '018-certificate-chunks': certificateChunks,
  '019-certificate-removals': certificateRemovals,
  '020-config-jobs': configJobs,
  '021-config-targets': configTargets,
  '022-alerts': alerts,
  '023-overdue-fleets': overdueFleets,
  '024-measurement-blocks': measurementBlocks,
  '025-events': events,
  '026-endpoints': endpoints,
  '027-endpoint-hours': endpointHours,
  '028-deliveries': deliveries,
  '029-delivery-attempts': deliveryAttempts,
  '030-delivery-replays': deliveryReplays,
  '031-notification-channels': notificationChannels,
  '032-notification-alerts': notificationAlerts,
  '033-notifications': notifications,
  '034-audit-entries': auditEntries,
  '035-ingress-heartbeats': ingressHeartbeats,
  '036-ingress-outages': ingressOutages,
  '037-leases': leases,
  '038-schema-support': schemaSupport,
  '039-mail-addresses': mailAddresses,
  '040-sent-mails': sentMails,
  '041-time-zone-rules': timeZoneRules,
  '042-alert-actions': alertActions,
  '043-device-settings': deviceSettings,
  '044-block-periods': blockPeriods,
  '045-alert-severity': alertSeverity,
  '046-mutes': mutes,
  '047-open-alerts': openAlerts,
  '048-late-alerts': lateAlerts,
  '049-escalations': escalations,
  '050-counts-by-index': countsByIndex,
  '051-devices-without-profile': devicesWithoutProfile,
  '052-over-at-once': overAtOnce,
  '053-stage-zero': stageZero,
  '054-withdrawal-runs': withdrawalRuns,
  '055-fresh-readings': freshReadings,
  '056-device-urgency': deviceUrgency,
  '057-partition-storage': partitionStorage,
  '058-job-creators': jobCreators,
  '059-job-origins': jobOrigins,
  '060-steps-gathered': stepsGathered,
  '061-withdrawal-authors': withdrawalAuthors,
  '062-channel-names': channelNames,
  '063-key-uses': keyUses,
  '064-overdue-checks': overdueChecks,
  '065-disabled-policies': disabledPolicies,
  '066-drain-begins': drainBegins,
  '067-rare-rows': rareRows,
  '068-inviters': inviters,
  '069-excursions': excursions,
  '070-later-messages': laterMessages,
  '071-had-profile': hadProfile,
  '072-alerts-of-a-channel': alertsOfAChannel,
  '073-settings-by-profile': settingsByProfile,
};
