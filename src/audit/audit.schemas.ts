import Joi from 'joi';
import { actorSchema, inOrder, pageSchema, paging, textToFind, time, timestamp } from '../http/schemas.ts';

interface ListAudit {
  actor?: string;
  subject?: string;
  from?: Date;
  to?: Date;
  limit: number;
  cursor?: string;
}

/** Whoever follows a link in a mail is named by its address, which has at most 254 characters. */
const ACTOR_LENGTH_MAX = 280;

export const listAuditQuery = Joi.object<ListAudit, true>({
  actor: textToFind(ACTOR_LENGTH_MAX).description(
    'Only changes by this key or person: the id of the key, or the name',
  ),
  subject: textToFind(128).description(
    'Only changes of the thing of this id, slug, serial number or whole name. A serial number or the name of a device also finds changes of its alerts, and the jobs that changed it',
  ),
  from: time().description('From then on'),
  to: time().description('Before then'),
  ...paging,
}).custom(inOrder);

const shown = () => Joi.object().unknown().allow(null).required();

const entryExample = {
  id: '019cb0a6-11a0-7c33-9a53-0c2f5f7e8d11',
  recType: 'audit-entry',
  at: '2026-03-02T08:15:30.000Z',
  actor: { keyId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28', name: 'Facility team' },
  action: 'deleteWebhook',
  subject: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c29',
  subjectName: 'https://example.com/hooks',
  serialNumber: null,
  before: { status: 'active', url: 'https://example.com/hooks' },
  after: null,
};

const auditEntrySchema = Joi.object({
  id: Joi.string().required(),
  recType: Joi.string().valid('audit-entry').required(),
  at: timestamp().required(),
  actor: actorSchema.required(),
  action: Joi.string()
    .required()
    .description(
      'The operationId; confirmAddress: the owner of an e-mail address has confirmed it for the channel',
    ),
  subject: Joi.string()
    .required()
    .description('Id, slug, or serial number in lower case, of what was changed'),
  subjectName: Joi.string()
    .allow(null)
    .required()
    .description(
      'Name of the device, the group or another thing, or the address of a webhook or channel without one: the present one of a device, group or webhook, otherwise as GET showed it; null without a name',
    ),
  serialNumber: Joi.string()
    .allow(null)
    .required()
    .description('Of the device that the change is about, if it is about one'),
  before: shown().description('What GET showed before; null on creation. Never a secret'),
  after: shown().description('What GET showed after; null on deletion. Never a secret'),
})
  .example(entryExample)
  .meta({ name: 'AuditEntry' });

export const auditListSchema = pageSchema(auditEntrySchema, entryExample);
