import Joi from 'joi';
import { timestamp } from '../http/schemas.ts';

export const uploadedCertificateSchema = Joi.object({
  serialNumber: Joi.string().required().description('The certificate belongs to it, not to the asset'),
  sizeBytes: Joi.number().integer().required(),
  sha256: Joi.string().required().description('Of the file, in hexadecimal; also its ETag'),
  uploadedAt: timestamp().required(),
}).example({
  serialNumber: '282C02424EED',
  sizeBytes: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  uploadedAt: '2026-03-02T08:15:30.000Z',
});
