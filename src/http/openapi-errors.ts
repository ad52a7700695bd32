/** The error answers of the OpenAPI document: one component per status, with an example. */
import Joi from 'joi';
import type { JsonSchema } from './json-schema.ts';
import { neededRole, type Route, takesIdempotencyKey } from './route.ts';

const errorSchema = Joi.object({
  success: Joi.boolean().valid(false).required(),
  message: Joi.string().required().description('Says what is wrong and what would be right.'),
})
  .example({ success: false, message: 'serialNumber is required' })
  .meta({ name: 'Error' });

interface DocumentedError {
  name: string;
  description: string;
  message: string;
}

const ERRORS: Record<number, DocumentedError> = {
  400: {
    name: 'Invalid',
    description: 'Invalid: the message names the field and says what would be right',
    message: 'serialNumber is required',
  },
  401: {
    name: 'Unauthenticated',
    description: 'Invalid or inactive API key',
    message: 'Invalid or inactive API key',
  },
  403: {
    name: 'Forbidden',
    description: 'The role of the API key does not include this operation',
    message: 'This operation needs an API key with the role admin or write',
  },
  404: {
    name: 'NotFound',
    description: "Unknown, or another organization's",
    message: 'No asset has this id',
  },
  409: {
    name: 'Conflict',
    description: 'Conflicts with what is there',
    message: 'An active asset has the serial number 282C02424EED already',
  },
  413: {
    name: 'TooLarge',
    description: 'Body too large',
    message: 'The body must be at most 1048576 bytes',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'Wrong Content-Type',
    message: 'Content-Type must be application/json',
  },
  422: {
    name: 'IdempotencyMismatch',
    description: 'Idempotency-Key was used with another request',
    message:
      'This Idempotency-Key was used with another method, path or body: take a new key for a new request',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests; see Retry-After',
    message: 'Too many requests: try again in 1 s',
  },
  500: { name: 'InternalError', description: 'Our fault', message: 'Something went wrong on our side' },
  503: {
    name: 'Unavailable',
    description: 'Unavailable at present; see Retry-After',
    message: 'The database cannot be reached at present: try again soon',
  },
};

/** Components that the operations refer to. */
export const errorComponents = (schemaOf: (schema: Joi.Schema) => JsonSchema): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.values(ERRORS).map(({ name, description, message }) => [
      name,
      {
        description,
        content: {
          'application/json': { schema: schemaOf(errorSchema), example: { success: false, message } },
        },
      },
    ]),
  );

export function errorResponses(definition: Route): Record<string, JsonSchema> {
  const statuses = errorStatuses(definition);
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${ERRORS[status]?.name}` }]),
  );
}

function errorStatuses(definition: Route): number[] {
  const takesBody = definition.rawBody !== undefined || definition.method !== 'GET';
  const statuses = [400, 401, 429, 500, 503, ...(definition.errors ?? [])];
  if (takesBody) statuses.push(413, 415);
  const role = neededRole(definition);
  if (role !== null && role !== 'read') statuses.push(403);
  if (takesIdempotencyKey(definition)) statuses.push(409, 422);
  return [...new Set(statuses)].sort((a, b) => a - b);
}
