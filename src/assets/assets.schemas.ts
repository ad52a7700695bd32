import Joi from 'joi';
import { BATTERY_STATUSES, SIGNAL_STRENGTHS } from '../devices/device-status.ts';
import { SYNC_STATUSES } from '../devices/device-sync.ts';
import { channelFields, serialNumber } from '../devices/devices.schemas.ts';
import type { LatestView } from '../devices/reading.ts';
import {
  atMost,
  limit,
  name as nameOf,
  nextCursor,
  type PageQuery,
  textToFind,
  time,
  timestamp,
  uuid,
} from '../http/schemas.ts';
import { currentMute } from '../mutes/mutes.schemas.ts';
import { DEVICE_STATUSES } from '../presence/presence.ts';
import { profileSlug } from '../profiles/profiles.schemas.ts';
import { ASSET_STATUSES, type AssetView, type ListedAssetView, type Registration } from './asset.ts';
import type { AssetFilter } from './asset-filter.ts';
import { IMPORT_OUTCOMES } from './asset-import.ts';

const name = nameOf(128);
const waterType = atMost(32);
const floor = Joi.number()
  .integer()
  .min(-100)
  .max(1000)
  .messages({ 'number.base': '{{#label}} must be a number, without decimals' });
const productLine = atMost(64);
const model = productLine.description('Sensor product line');
const buildingId = atMost(64).description("In the customer's own system");
const spaceId = atMost(64).description("In the customer's own system");
const groupId = uuid().description('The group that the device is in; it is in one at most');

const registrationFields = {
  serialNumber: serialNumber()
    .required()
    .description(
      '12 hexadecimal digits on all known loggers; unique among active assets, compared without case',
    ),
  name: name.description('Default: the serial number'),
  waterType,
  floor,
  model,
  buildingId,
  spaceId,
  groupId,
};

export const registerAssetBody = Joi.object<Registration, true>(registrationFields)
  .example({
    serialNumber: '282C02424EED',
    name: 'Vaccine fridge 2',
    waterType: 'automatic',
    floor: 0,
    model: 'TVO-THT',
    buildingId: 'main',
    spaceId: 'pharmacy',
  })
  .meta({ name: 'RegisterAsset' });

/** A row of an import. Tables name groups by name, as people know them. */
export const importRow = Joi.object<Registration & { group?: string }, true>({
  ...registrationFields,
  group: nameOf(128).description(
    'Name of the group that the device is in, in place of groupId; compared without case',
  ),
})
  .oxor('group', 'groupId')
  .messages({ 'object.oxor': 'only one of group and groupId may be given' })
  .example({ serialNumber: '282C02424EED', name: 'Vaccine fridge 2', group: 'Vaccine fridges' })
  .meta({
    name: 'ImportedAsset',
  });

export interface ChangeAsset {
  name?: string;
  waterType?: string | null;
  floor?: number | null;
  model?: string | null;
  buildingId?: string | null;
  spaceId?: string | null;
  groupId?: string | null;
}

export const changeAssetBody = Joi.object<ChangeAsset, true>({
  name,
  waterType: waterType.allow(null),
  floor: floor.allow(null),
  model: model.allow(null),
  buildingId: buildingId.allow(null),
  spaceId: spaceId.allow(null),
  groupId: groupId.allow(null),
})
  .min(1)
  .messages({
    'object.min':
      'at least one of name, waterType, floor, model, buildingId, spaceId and groupId must be given',
  })
  .example({ name: 'Vaccine fridge 3', spaceId: null });

export interface ListAssets extends AssetFilter, PageQuery {
  'model-name'?: string;
}

export const listAssetsQuery = Joi.object<ListAssets, true>({
  limit: limit(50),
  cursor: uuid()
    .description('Id of the last asset of the page before')
    .messages({ 'string.pattern.base': '{{#label}} must be the nextCursor of an earlier page' }),
  model: productLine.description('Only this product line'),
  'model-name': productLine.description('Use model').meta({ deprecated: true }),
  q: textToFind(128)
    .description('Part of the serial number or the name; case does not count')
    .example('fridge'),
  serialNumber: serialNumber().description('Compared without case'),
  status: Joi.string().valid(...DEVICE_STATUSES),
  batteryStatus: Joi.string().valid(...BATTERY_STATUSES),
  syncStatus: Joi.string().valid(...SYNC_STATUSES),
  hadProfile: Joi.boolean().description(
    'Whether a profile is pending for the device, or it has confirmed one',
  ),
  profileSlug: profileSlug.description(
    'Devices whose settings in force came with this profile last; before their first report, those to which it is applied',
  ),
  groupId: uuid().description('Members of this group'),
  lastReadingBefore: time().description('Also those that have never sent a reading'),
});

const assetFields = {
  id: Joi.string().required(),
  recType: Joi.string().valid('asset').required(),
  name: Joi.string().required(),
  serialNumber: Joi.string().required(),
  status: Joi.string()
    .valid(...ASSET_STATUSES)
    .required()
    .description('new: no contact yet; offline: an expected contact was missed'),
  signalStrength: Joi.string()
    .valid(...SIGNAL_STRENGTHS)
    .required(),
  batteryStatus: Joi.string()
    .valid(...BATTERY_STATUSES)
    .required(),
  model: Joi.string().allow(null).required(),
  lastReadingAt: timestamp().allow(null).required(),
  waterType: Joi.string().allow(null).required(),
  floor: Joi.number().integer().allow(null).required(),
  buildingId: Joi.string().allow(null).required(),
  spaceId: Joi.string().allow(null).required(),
  createdAt: timestamp().required(),
};

export const assetExample: AssetView = {
  id: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
  recType: 'asset',
  name: 'Vaccine fridge 2',
  serialNumber: '282C02424EED',
  status: 'online',
  signalStrength: 'good',
  batteryStatus: 'ok',
  model: 'TVO-THT',
  lastReadingAt: '2026-03-02T08:15:00.000Z',
  waterType: null,
  floor: 0,
  buildingId: 'main',
  spaceId: 'pharmacy',
  createdAt: '2026-02-20T13:05:12.000Z',
};

/** The asset in events of webhooks. */
export const assetSchema = Joi.object<AssetView>(assetFields).example(assetExample).meta({ name: 'Asset' });

const latestSchema = Joi.object<LatestView>({
  ...channelFields,
  value: Joi.number().unsafe().allow(null).required(),
  unit: Joi.string().allow('').required(),
  measuredAt: timestamp().required(),
  error: Joi.number().integer().description('The error code of the sensor, where there is no value'),
}).meta({ name: 'LatestReading' });

const listedAssetFields = {
  ...assetFields,
  groupId: Joi.string().allow(null).required().description('null when the device is in no group'),
  syncStatus: Joi.string()
    .valid(...SYNC_STATUSES)
    .required()
    .description('As in the configuration of the device'),
  openAlerts: Joi.number().integer().required().description('How many alerts are new or acknowledged'),
  mute: currentMute(),
  latest: Joi.array()
    .items(latestSchema)
    .required()
    .description('The newest sample of each channel; samples that came late replace none that came in time'),
};

const listedAssetExample: ListedAssetView = {
  ...assetExample,
  groupId: '019cb0a5-9f31-7d02-a6c4-58e1b7d2f093',
  syncStatus: 'applied',
  openAlerts: 0,
  mute: null,
  latest: [
    {
      channel: 1,
      position: 'probe',
      type: 'temperature',
      value: 4.2,
      unit: '°C',
      measuredAt: '2026-03-02T08:15:00.000Z',
    },
  ],
};

const listedAssetSchema = Joi.object<ListedAssetView>(listedAssetFields)
  .example(listedAssetExample)
  .meta({ name: 'ListedAsset' });

export const assetDetailSchema = Joi.object({
  ...listedAssetFields,
  replacementHistory: Joi.array()
    .items(Joi.object({ serialNumber: Joi.string().required(), replacedAt: timestamp().required() }))
    .required()
    .description('Earlier hardware, the latest 100, oldest first'),
})
  .example({
    ...listedAssetExample,
    replacementHistory: [{ serialNumber: '282C0241A0F3', replacedAt: '2026-02-27T10:30:00.000Z' }],
  })
  .meta({ name: 'AssetDetail' });

export const assetListSchema = Joi.object({
  items: Joi.array().items(listedAssetSchema).required(),
  totalItems: Joi.number()
    .integer()
    .required()
    .description(
      'All that match, on all pages. With q, profileSlug, lastReadingBefore or several filters, 1000 means 1000 or more.',
    ),
  nextCursor: nextCursor(),
}).example({ items: [listedAssetExample], totalItems: 1, nextCursor: null });

const warnings = () => Joi.array().items(Joi.string()).description('Only when there are any');

export const registeredSchema = Joi.object({
  id: Joi.string().required(),
  warnings: warnings(),
}).example({ id: assetExample.id });
export const archivedSchema = Joi.object({ deleted: Joi.boolean().required() }).example({ deleted: true });

export const IMPORT_EXAMPLE =
  'serialNumber,name,model,floor,group\n282C02424EED,Vaccine fridge 2,TVO-THT,0,Vaccine fridges\n';

export const importQuery = Joi.object<{ dryRun: boolean }, true>({
  dryRun: Joi.boolean().default(false).description('Check each row and show its result, register nothing'),
});

export const importBody = Joi.array()
  .items(importRow)
  .example([{ serialNumber: '282C02424EED', name: 'Vaccine fridge 2', floor: 0, group: 'Vaccine fridges' }]);

export const importedSchema = Joi.object({
  dryRun: Joi.boolean().required().description('true: nothing was registered'),
  created: Joi.number().integer().required(),
  unchanged: Joi.number().integer().required().description('An active device had the serial number already'),
  failed: Joi.number().integer().required(),
  results: Joi.array()
    .items(
      Joi.object({
        row: Joi.number().integer().required().description('Rows of data, from 1'),
        line: Joi.number().integer().required().description('Line on which the row begins, from 1'),
        serialNumber: Joi.string().allow(null, '').required(),
        outcome: Joi.string()
          .valid(...IMPORT_OUTCOMES)
          .required(),
        id: Joi.string()
          .allow(null)
          .required()
          .description('null when the row failed, and in a dry run for a device that would be registered'),
        error: Joi.string().allow(null).required(),
        warnings: Joi.array()
          .items(Joi.string())
          .description('As when one device is registered; only when there are any'),
      }),
    )
    .required()
    .description('One for each row, in their order'),
}).example({
  dryRun: false,
  created: 1,
  unchanged: 0,
  failed: 1,
  results: [
    { row: 1, line: 2, serialNumber: '282C02424EED', outcome: 'created', id: assetExample.id, error: null },
    { row: 2, line: 3, serialNumber: null, outcome: 'failed', id: null, error: 'serialNumber is required' },
  ],
});

export const replaceHardwareBody = Joi.object<{ newSerialNumber: string }, true>({
  newSerialNumber: serialNumber().required(),
}).example({ newSerialNumber: '282C02431B07' });

export const replacedSchema = Joi.object({
  success: Joi.boolean().required(),
  serialNumber: Joi.string().required(),
  warnings: warnings(),
}).example({ success: true, serialNumber: '282C02431B07' });
