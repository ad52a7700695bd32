import Joi from 'joi';
import { time, uuid } from '../http/schemas.ts';

const ASSETS_MAX = 100;

/** Either some assets or all of them. */
export interface ExportMeasurements {
  from: Date;
  to: Date;
  assetIds?: string[];
  all?: true;
}

const assetId = uuid();

export const exportMeasurementsQuery = Joi.object<ExportMeasurements>({
  from: time().required().description('Measured at this time or later'),
  to: time().required().description('Measured before this time'),
  assetIds: Joi.string()
    .custom((text: string, helpers) => {
      const ids = [...new Set(text.toLowerCase().split(','))];
      const areIds = ids.length <= ASSETS_MAX && ids.every((id) => assetId.validate(id).error === undefined);
      return areIds ? ids : helpers.message({ custom: ASSET_IDS_FAULT });
    })
    .description(`1 to ${ASSETS_MAX} ids, separated by commas`)
    .meta({ docs: { type: 'string' } }),
  all: Joi.boolean().valid(true).description('Of all devices that are not archived'),
})
  .xor('assetIds', 'all')
  .messages({
    'object.missing': 'one of assetIds and all=true is required',
    'object.xor': 'only one of assetIds and all is allowed',
  });

const ASSET_IDS_FAULT = `{{#label}} must be 1 to ${ASSETS_MAX} ids of assets, separated by commas`;
