import Joi from 'joi';
import { isReservedName } from '../audit/audit.ts';
import { ROLES, type Role } from '../http/role.ts';
import { name, timestamp } from '../http/schemas.ts';
import { OPERATOR_NAME_MAX } from './session.ts';

const RESERVED =
  '{{#label}} must be the name of a person: the audit trail uses this one for changes without a key';

export const createLinkBody = Joi.object<{ name: string; role?: Role }, true>({
  name: name(OPERATOR_NAME_MAX)
    .custom((text: string, helpers) => (isReservedName(text) ? helpers.message({ custom: RESERVED }) : text))
    .required()
    .description('Of the person who signs in; the audit trail names them'),
  role: Joi.string()
    .valid(...ROLES)
    .description('At most that of the key, which is also the default'),
})
  .example({ name: 'Ada Lovelace', role: 'write' })
  .meta({ name: 'CreateOperatorLink' });

export const createdLinkSchema = Joi.object({
  id: Joi.string().required(),
  recType: Joi.string().valid('operator-link').required(),
  name: Joi.string().required(),
  role: Joi.string()
    .valid(...ROLES)
    .required(),
  url: Joi.string().required().description('Signs in once; shown only in this answer'),
  expiresAt: timestamp().required(),
}).example({
  id: '019cb0a7-2c64-7a1b-8f0c-2a2b5f0f7d11',
  recType: 'operator-link',
  name: 'Ada Lovelace',
  role: 'write',
  url: 'https://dms.example.com/operator/sign-in?link=…',
  expiresAt: '2026-03-02T08:25:30.000Z',
});
