import Joi from 'joi';
import { actorSchema, textAsSent, time, timestamp } from '../http/schemas.ts';
import { MUTE_DAYS_MAX, type MuteView, REASON_MAX } from './mute.ts';

interface MuteBody {
  from?: Date;
  until: Date;
  reason: string;
}

export const muteBody = Joi.object<MuteBody, true>({
  from: time().description(`When it begins, at most ${MUTE_DAYS_MAX} days ahead. Default: now`),
  until: time()
    .required()
    .description(`When it ends by itself, at most ${MUTE_DAYS_MAX} days after its beginning`),
  reason: textAsSent(REASON_MAX).required(),
}).example({ until: '2026-03-02T10:00:00.000Z', reason: 'Defrosting' });

const muteExample: MuteView = {
  from: '2026-03-02T08:00:00.000Z',
  until: '2026-03-02T10:00:00.000Z',
  reason: 'Defrosting',
  by: { keyId: '019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a', name: 'Kitchen' },
  groupId: null,
};

export const muteSchema = Joi.object<MuteView>({
  from: timestamp().required().description('When it begins; in the future: it is planned'),
  until: timestamp().required(),
  reason: Joi.string().required(),
  by: actorSchema.required().description('The key or the person who muted'),
  groupId: Joi.string().allow(null).required().description('The group that is muted; null: the asset alone'),
})
  .example(muteExample)
  .meta({ name: 'Mute' });

/** The mute in the answer of an asset or group. */
export const currentMute = () =>
  muteSchema
    .allow(null)
    .required()
    .description(
      'Nobody is notified between its times. The one that runs, otherwise the one that begins first; null: none',
    );
