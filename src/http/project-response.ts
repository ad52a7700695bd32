/**
 * Responses keep only fields of their schemas, so a column that was selected by mistake, such as a secret,
 * cannot leak. Compiled once per schema. It filters and does not validate: tests validate every answer.
 */
import { Readable } from 'node:stream';
import type Joi from 'joi';
import { describeSchema, type SchemaDescription } from './describe-schema.ts';
import type { Reply, Route } from './route.ts';

type Project = (value: unknown) => unknown;

/** A body that is sent as it is. */
export const isBytes = (body: unknown): body is Buffer | Readable =>
  Buffer.isBuffer(body) || body instanceof Readable;

/** Filters the body of a reply by the schema of its status. Without a schema, only bytes are kept. */
export function compileReplyProjection({ responses }: Route): (reply: Reply) => Reply {
  const projections = new Map<number, Project>();
  for (const [status, contract] of Object.entries(responses)) {
    if (contract && 'describe' in contract) projections.set(Number(status), compileProjection(contract));
  }
  return (reply) =>
    reply.body === undefined || isBytes(reply.body)
      ? reply
      : { ...reply, body: projections.get(reply.status)?.(reply.body) };
}

export const compileProjection = (schema: Joi.Schema): Project => projection(describeSchema(schema));

function projection(described: SchemaDescription): Project {
  if (described.type === 'object' && described.keys && !described.flags?.unknown) {
    return projectObject(described.keys);
  }
  const [item] = described.items ?? [];
  if (described.type === 'array' && item && described.items?.length === 1) {
    const project = projection(item);
    return project === keep ? keep : (value) => (Array.isArray(value) ? value.map(project) : value);
  }
  return keep;
}

const keep: Project = (value) => value;

function projectObject(keys: Record<string, SchemaDescription>): Project {
  const fields = Object.entries(keys).map(([key, described]) => [key, projection(described)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const out: Record<string, unknown> = {};
    for (const [key, project] of fields) {
      const field = (value as Record<string, unknown>)[key];
      if (field !== undefined) out[key] = project(field);
    }
    return out;
  };
}
