import Joi from 'joi';
import { assetIds, inOrder, rangeTime, uuid } from '../http/schemas.ts';

const ASSETS_MAX = 100;

/** Some assets, the assets of a group, or all of them. */
export interface ExportMeasurements {
  from: Date;
  to: Date;
  assetIds?: string[];
  groupId?: string;
  all?: true;
}

export const exportMeasurementsQuery = Joi.object<ExportMeasurements>({
  from: rangeTime().required().description('Measured at this time or later'),
  to: rangeTime().required().description('Measured before this time'),
  assetIds: assetIds(ASSETS_MAX).description(`1 to ${ASSETS_MAX} ids, separated by commas`),
  groupId: uuid().description('Of the devices that are in this group now'),
  all: Joi.boolean().valid(true).description('Of all devices that are not archived'),
})
  .xor('assetIds', 'groupId', 'all')
  .custom(inOrder)
  .messages({
    'object.missing': 'one of assetIds, groupId and all=true is required',
    'object.xor': 'only one of assetIds, groupId and all is allowed',
  });
