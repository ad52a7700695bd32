/** Commands for devices, by API. */
import type { Result } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import { type Command, required } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { readInput } from './read-input.ts';

type Asset = Result<'getAsset'>;

type Imported = Result<'importAssets'>;

const FAULTS_SHOWN = 20;

export const assetCommands: Command[] = [
  {
    words: ['assets', 'show'],
    operations: ['getAsset', 'getDeviceConfig'],
    args: 'SERIAL',
    summary: 'show a device: what it runs, and what it has yet to confirm',
    ...byApi(async ({ dms }, input) => {
      const config = await dms.getDeviceConfig({ serial: required(input, 0, 'SERIAL') });
      const asset = await dms.getAsset({ assetId: config.assetId });
      return { text: describe(asset, config), value: { ...asset, ...config } };
    }),
  },
  {
    words: ['assets', 'import'],
    operations: ['importAssets'],
    args: 'FILE [--dry-run]',
    summary: 'register the devices of a table (CSV), each in the group that its row names',
    details:
      'Exit code 3: some rows failed, and the others are registered. The same file may be sent again.\n' +
      'With --dry-run nothing is stored, and each row has the result that it would have.',
    ...byApi(async ({ dms }, input) => {
      const body = await readInput(required(input, 0, 'FILE'));
      const given = { dryRun: input.options['dry-run'] === true, body };
      const imported = await dms.importAssets(given, { headers: { 'Content-Type': 'text/csv' } });
      if (imported.failed > 0) process.exitCode = EXIT_CODES.partly;
      return { text: describeImport(imported), value: imported };
    }),
  },
];

function describeImport({ dryRun, created, unchanged, failed, results }: Imported): string {
  const faults = results.flatMap(({ line, serialNumber, error, warnings = [] }) =>
    [...(error === null ? [] : [error]), ...warnings].map((text) => `line ${line}, ${serialNumber}: ${text}`),
  );
  const more =
    faults.length > FAULTS_SHOWN ? [`… and ${faults.length - FAULTS_SHOWN} more: --json has all`] : [];
  return [
    `${dryRun ? 'Nothing is stored. As it would be: ' : ''}${created} registered, ${unchanged} registered before, ${failed} failed`,
    ...faults.slice(0, FAULTS_SHOWN),
    ...more,
  ].join('\n');
}

function describe(
  asset: Asset,
  { syncStatus, deviceConfig, pendingConfig }: Result<'getDeviceConfig'>,
): string {
  const lines = [
    `${asset.serialNumber}  ${asset.name}`,
    `${asset.status}, battery ${asset.batteryStatus}, signal ${asset.signalStrength}, last reading ${asset.lastReadingAt ?? 'never'}`,
    `configuration: ${syncStatus}`,
  ];
  if (pendingConfig) lines.push(`pending: ${JSON.stringify(pendingConfig)}`);
  if (deviceConfig) lines.push(`runs: ${JSON.stringify(deviceConfig)}`);
  return lines.join('\n');
}
