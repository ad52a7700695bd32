import Joi from 'joi';
import { ROLES } from '../http/role.ts';
import { pageSchema, timestamp } from '../http/schemas.ts';

const sessionExample = {
  id: '019cb0a7-2c64-7a1b-8f0c-2a2b5f0f7d11',
  recType: 'operator-session',
  name: 'Ada Lovelace',
  role: 'write',
  keyId: null,
  startedAt: '2026-03-02T08:15:30.000Z',
  expiresAt: '2026-03-02T20:15:30.000Z',
};

export const sessionSchema = Joi.object({
  id: Joi.string().required(),
  recType: Joi.string().valid('operator-session').required(),
  name: Joi.string().required().description('Of the person'),
  role: Joi.string()
    .valid(...ROLES)
    .required(),
  keyId: Joi.string()
    .allow(null)
    .required()
    .description(
      'The key that asked for the link; null: the command line, an identity provider, or a person without a key',
    ),
  startedAt: timestamp().required(),
  expiresAt: timestamp().required(),
})
  .example(sessionExample)
  .meta({ name: 'OperatorSession' });

export const sessionListSchema = pageSchema(sessionSchema, sessionExample, 'Newest first');
