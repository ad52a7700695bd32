import Joi from 'joi';
import { timestamp } from '../http/schemas.ts';

export const uploadedCertificateSchema = Joi.object({
  serialNumber: Joi.string().required().description('The certificate belongs to it, not to the asset'),
  sizeBytes: Joi.number().integer().required(),
  sha256: Joi.string().required().description('Of the file, in hexadecimal; also its ETag'),
  uploadedAt: timestamp().required(),
});
