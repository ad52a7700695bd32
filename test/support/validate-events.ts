/**
 * Validates every published event of this process by the catalogue: an unknown type, or a field that is
 * additional, missing or of the wrong type fails the running test. Node raises an error of a subscriber as an
 * uncaught exception, which fails the running test in Mocha, and ends a process that a test has started.
 */
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import Joi from 'joi';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.schemas.ts';
import { PUBLISHED_EVENTS } from '../../src/events/events.service.ts';
import { timestamp } from '../../src/http/schemas.ts';

const schemas = new Map(
  Object.entries(EVENT_CATALOGUE).map(([type, { data }]) => [
    type,
    Joi.object({ type: Joi.required(), timestamp: timestamp().required(), data: data.required() }),
  ]),
);

subscribe(PUBLISHED_EVENTS, (events) => {
  for (const { body } of events as Array<{ body: string }>) validateEventBody(body);
});

/** @throws AssertionError naming the type and the field. */
export function validateEventBody(body: string): void {
  const event = JSON.parse(body);
  const schema = schemas.get(event.type);
  assert.ok(schema, `the catalogue has no event ${event.type}`);
  const { error } = schema.validate(event, { convert: false, abortEarly: false });
  assert.ok(!error, `${event.type}: ${error?.message} in ${body.slice(0, 500)}`);
}
