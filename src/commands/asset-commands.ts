/** Devices, by API. */
import { each, type Result } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import { type Command, option, required, type Table, UsageError } from './command.ts';
import { take } from './take.ts';

type Asset = Result<'getAsset'>;

const LISTED_DEFAULT = '50';

export const assetCommands: Command[] = [
  {
    words: ['assets', 'list'],
    args: '[--limit 50]',
    summary: 'lists devices',
    ...byApi(async ({ dms }, input) => {
      const limit = Number(option(input, 'limit') ?? LISTED_DEFAULT);
      if (!Number.isInteger(limit) || limit < 1)
        throw new UsageError('--limit must be a whole number from 1');
      return tableOf(await take(each(dms.listAssets, {}), limit));
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
];

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
