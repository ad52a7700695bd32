/** Commands for devices, by API. */
import { readFile } from 'node:fs/promises';
import { type Arguments, type Client, each, type Result } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import {
  type Command,
  type CommandInput,
  limitOption,
  option,
  required,
  type Table,
  UsageError,
} from './command.ts';
import { take } from './take.ts';

type Asset = Result<'getAsset'>;

type Imported = Result<'importAssets'>;

const LISTED_DEFAULT = 50;
const FAULTS_SHOWN = 20;
/** Exit code if a row registered no device. */
const NOT_REGISTERED = 3;

export const assetCommands: Command[] = [
  {
    words: ['assets', 'list'],
    args: '[--search TEXT] [--status STATUS] [--sync-status STATUS] [--limit 50]',
    summary: 'lists devices, those whose serial or name contains a text',
    ...byApi(async ({ dms }, input) => {
      return tableOf(await take(each(dms.listAssets, filterOf(input)), limitOption(input, LISTED_DEFAULT)));
    }),
  },
  {
    words: ['assets', 'show'],
    args: 'SERIAL',
    summary: 'shows a device: what it runs, and what it has yet to confirm',
    ...byApi(async ({ dms }, input) => {
      const config = await dms.getDeviceConfig({ serial: required(input, 0, 'SERIAL') });
      const asset = await dms.getAsset({ assetId: config.assetId });
      return { text: describe(asset, config), value: { ...asset, ...config } };
    }),
  },
  {
    words: ['assets', 'withdraw'],
    args: 'SERIAL',
    summary: 'takes out all that is pending for a device, also what it has refused; what it runs stays',
    ...byApi(async ({ dms }, input) => {
      const config = await dms.withdrawDeviceConfig({ serial: required(input, 0, 'SERIAL') });
      const text = `${config.serialNumber}: nothing is pending, configuration ${config.syncStatus}`;
      return { text, value: config };
    }),
  },
  {
    words: ['assets', 'import'],
    args: 'FILE',
    summary: 'registers the devices of a table (CSV), each in the group that its row names',
    details: 'Exit code 3: some rows failed, and the others are registered. The same file may be sent again.',
    ...byApi(async ({ dms }, input) => {
      const path = required(input, 0, 'FILE');
      const table = await readFile(path).catch(() => {
        throw new UsageError(`FILE cannot be read: ${path}`);
      });
      const imported = (await importTable(dms, table)) as Imported;
      if (imported.failed > 0) process.exitCode = NOT_REGISTERED;
      return { text: describeImport(imported), value: imported };
    }),
  },
];

/** The types of the operation take rows as JSON; the service also reads tables. */
const importTable = (dms: Client, table: Buffer) =>
  dms.importAssets({ body: table as never }, { headers: { 'Content-Type': 'text/csv' } });

function describeImport({ created, unchanged, failed, results }: Imported): string {
  const faults = results.flatMap(({ row, serialNumber, error, warnings = [] }) =>
    [...(error === null ? [] : [error]), ...warnings].map((text) => `row ${row}, ${serialNumber}: ${text}`),
  );
  const more =
    faults.length > FAULTS_SHOWN ? [`… and ${faults.length - FAULTS_SHOWN} more: --json has all`] : [];
  return [
    `${created} registered, ${unchanged} registered before, ${failed} failed`,
    ...faults.slice(0, FAULTS_SHOWN),
    ...more,
  ].join('\n');
}

function filterOf(input: CommandInput): Arguments<'listAssets'> {
  const [q, status, syncStatus] = ['search', 'status', 'sync-status'].map((name) => option(input, name));
  const filter = { ...(q && { q }), ...(status && { status }), ...(syncStatus && { syncStatus }) };
  // The service names the valid values.
  return filter as Arguments<'listAssets'>;
}

const tableOf = (assets: Result<'listAssets'>['items']): Table => ({
  headings: ['SERIAL', 'NAME', 'STATUS', 'BATTERY', 'SIGNAL', 'LAST READING'],
  rows: assets.map((asset) => [
    asset.serialNumber,
    asset.name,
    asset.status,
    asset.batteryStatus,
    asset.signalStrength,
    asset.lastReadingAt,
  ]),
  items: assets,
});

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
