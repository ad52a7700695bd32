import Joi from 'joi';
import { inOrder, rangeTime, uuid } from '../http/schemas.ts';

const ASSETS_MAX = 100;

/** Some assets, the assets of a group, or all of them. */
export interface ExportMeasurements {
  from: Date;
  to: Date;
  assetIds?: string[];
  groupId?: string;
  all?: true;
}

const assetId = uuid();

export const exportMeasurementsQuery = Joi.object<ExportMeasurements>({
  from: rangeTime().required().description('Measured at this time or later'),
  to: rangeTime().required().description('Measured before this time'),
  assetIds: Joi.string()
    .custom((text: string, helpers) => {
      const ids = [...new Set(text.toLowerCase().split(','))];
      const areIds = ids.length <= ASSETS_MAX && ids.every((id) => assetId.validate(id).error === undefined);
      return areIds ? ids : helpers.message({ custom: ASSET_IDS_FAULT });
    })
    .description(`1 to ${ASSETS_MAX} ids, separated by commas`)
    .meta({ docs: { type: 'string' } }),
  groupId: uuid().description('Of the devices that are in this group now'),
  all: Joi.boolean().valid(true).description('Of all devices that are not archived'),
})
  .xor('assetIds', 'groupId', 'all')
  .custom(inOrder)
  .messages({
    'object.missing': 'one of assetIds, groupId and all=true is required',
    'object.xor': 'only one of assetIds, groupId and all is allowed',
  });

const ASSET_IDS_FAULT = `{{#label}} must be 1 to ${ASSETS_MAX} ids of assets, separated by commas`;
