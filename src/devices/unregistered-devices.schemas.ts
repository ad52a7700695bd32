import Joi from 'joi';
import { cursor, limit, type PageQuery, pageSchema, timestamp } from '../http/schemas.ts';

/** Time and serial number of the last item. */
const CURSOR = /^\d{1,18}\.[a-z0-9._:-]{1,64}$/;

export const listUnregisteredQuery = Joi.object<PageQuery, true>({
  limit: limit(50),
  cursor: cursor(Joi.string().pattern(CURSOR)),
});

const fields = {
  recType: Joi.string().valid('unregistered-device').required(),
  serialNumber: Joi.string().required().description('In lower case'),
  firstSeenAt: timestamp().required(),
  lastSeenAt: timestamp().required(),
  count: Joi.number().integer().required().description('Contacts so far'),
};

const example = {
  recType: 'unregistered-device',
  serialNumber: '282c02424eed',
  firstSeenAt: '2026-03-01T08:15:30.000Z',
  lastSeenAt: '2026-03-02T08:15:30.000Z',
  count: 24,
};

const unregisteredDeviceSchema = Joi.object(fields).example(example).meta({ name: 'UnregisteredDevice' });

export const unregisteredDeviceListSchema = pageSchema(unregisteredDeviceSchema, example);
