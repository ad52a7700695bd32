import Joi from 'joi';
import { ROLES, type Role } from '../http/role.ts';
import type { KeyKind } from '../http/route.ts';
import { name, pageSchema, time, timestamp } from '../http/schemas.ts';
import type { KeyView } from './api-key.ts';

const KINDS: KeyKind[] = ['customer', 'device'];

export interface CreateKey {
  name: string;
  kind: KeyKind;
  role?: Role | null;
  expiresAt?: Date | null;
}

export const createKeyBody = Joi.object<CreateKey, true>({
  name: name(128).required().description('Shown in the audit trail'),
  kind: Joi.string()
    .valid(...KINDS)
    .default('customer')
    .description('customer: for the API; device: the token of all loggers of the organization'),
  role: Joi.string()
    .valid(...ROLES)
    .allow(null)
    .description('Required for customer keys. read: GET; write: changes, too; admin: also keys'),
  expiresAt: time().allow(null).description('Null or absent: never'),
}).example({ name: 'Facility team', kind: 'customer', role: 'write', expiresAt: '2099-01-01T00:00:00Z' });

const keyFields = {
  id: Joi.string().required(),
  recType: Joi.string().valid('key').required(),
  name: Joi.string().required(),
  kind: Joi.string()
    .valid(...KINDS)
    .required(),
  role: Joi.string()
    .valid(...ROLES)
    .allow(null)
    .required()
    .description('Null for device keys'),
  preview: Joi.string().required().description('The first characters of the key'),
  createdAt: timestamp().required(),
  expiresAt: timestamp().allow(null).required(),
  lastUsedAt: timestamp()
    .allow(null)
    .required()
    .description(
      'Written once an hour at most: the last request came within an hour of it. Null: not used yet',
    ),
};

const example: KeyView = {
  id: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28',
  recType: 'key',
  name: 'Facility team',
  kind: 'customer',
  role: 'write',
  preview: 'dms_live_3fZk…',
  createdAt: '2026-02-20T13:05:12.000Z',
  expiresAt: null,
  lastUsedAt: '2026-02-27T09:41:07.000Z',
};

export const keySchema = Joi.object<KeyView>(keyFields).example(example).meta({ name: 'Key' });

export const createdKeySchema = Joi.object({
  ...keyFields,
  key: Joi.string().required().description('The key itself: shown only this once'),
})
  .example({ ...example, lastUsedAt: null, key: `dms_live_${'…'}` })
  .meta({ name: 'CreatedKey' });

export const keyListSchema = pageSchema(keySchema, example);
