import Joi from 'joi';
import { timestamp } from '../http/schemas.ts';

export const issuedTokenSchema = Joi.object({
  token: Joi.string()
    .required()
    .description('36 characters, the most that a logger can store; shown only this once'),
}).example({ token: 'dev_…' });

/** Shown in the audit trail. */
export const deviceTokenSchema = Joi.object({
  serialNumber: Joi.string().required(),
  preview: Joi.string().required(),
  createdAt: timestamp().required(),
});
