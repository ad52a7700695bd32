import Joi from 'joi';
import { PROBE_POSITIONS } from '../devices/channel-layout.ts';
import { BATTERY_STATUSES, SIGNAL_STRENGTHS } from '../devices/device-status.ts';
import { serialNumber } from '../devices/devices.schemas.ts';
import type { LatestView } from '../devices/latest-readings.ts';
import { cursor, limit, nextCursor, timestamp } from '../http/schemas.ts';
import { ASSET_STATUSES, type AssetView, type ListedAssetView } from './asset.ts';

const BLANK = '{{#label}} must not be blank';
const text = (max: number) => Joi.string().max(max);

export interface RegisterAsset {
  serialNumber: string;
  name?: string;
  waterType?: string;
  floor?: number;
  model?: string;
  buildingId?: string;
  spaceId?: string;
}

export const registerAssetBody = Joi.object<RegisterAsset, true>({
  serialNumber: serialNumber().required().description('Unique among active assets, compared without case'),
  name: text(128)
    .pattern(/\S/)
    .messages({ 'string.pattern.base': BLANK, 'string.empty': BLANK })
    .description('Default: the serial number'),
  waterType: text(32).example('automatic'),
  floor: Joi.number().integer().min(-100).max(1000),
  model: text(64).description('Sensor product line').example('TVO-THT'),
  buildingId: text(64),
  spaceId: text(64),
}).example({ serialNumber: '282C02424EED', name: 'Vaccine fridge 2', model: 'TVO-THT', floor: 0 });

export interface ListAssets {
  limit: number;
  cursor?: string;
  model?: string;
  'model-name'?: string;
}

export const listAssetsQuery = Joi.object<ListAssets, true>({
  limit: limit(50),
  cursor: cursor().description('Id of the last asset of the page before'),
  model: text(64).description('Only this product line'),
  'model-name': text(64).description('Use model').meta({ deprecated: true }),
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

export const assetSchema = Joi.object<AssetView>(assetFields).example(assetExample).meta({ name: 'Asset' });

const latestSchema = Joi.object<LatestView>({
  channel: Joi.number().integer().required(),
  position: Joi.string()
    .valid(...PROBE_POSITIONS)
    .allow(null)
    .required(),
  type: Joi.string().required(),
  value: Joi.number().unsafe().allow(null).required(),
  unit: Joi.string().allow('').required(),
  measuredAt: timestamp().required(),
  error: Joi.number().integer().description('The error code of the sensor, where there is no value'),
}).meta({ name: 'LatestReading' });

const listedAssetFields = {
  ...assetFields,
  latest: Joi.array()
    .items(latestSchema)
    .required()
    .description('The newest sample of each channel; samples that came late do not replace it'),
};

const listedAssetExample: ListedAssetView = {
  ...assetExample,
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
    .description('Earlier hardware, oldest first'),
})
  .example({
    ...listedAssetExample,
    replacementHistory: [{ serialNumber: '282C0241A0F3', replacedAt: '2026-02-27T10:30:00.000Z' }],
  })
  .meta({ name: 'AssetDetail' });

export const assetListSchema = Joi.object({
  items: Joi.array().items(listedAssetSchema).required(),
  totalItems: Joi.number().integer().required().description('All that match, on all pages'),
  nextCursor: nextCursor(),
});

export const registeredSchema = Joi.object({ id: Joi.string().required().example(assetExample.id) });
export const archivedSchema = Joi.object({ deleted: Joi.boolean().required() });

export const replaceHardwareBody = Joi.object<{ newSerialNumber: string }, true>({
  newSerialNumber: serialNumber().required(),
}).example({ newSerialNumber: '282C02431B07' });

export const replacedSchema = Joi.object({
  success: Joi.boolean().required(),
  serialNumber: Joi.string().required(),
}).example({ success: true, serialNumber: '282C02431B07' });
