/** Arguments and answers of each operation, derived from the generated types. */

import type { operations } from './generated/openapi.ts';
import type { OPERATIONS } from './generated/operations.ts';

export type OperationId = keyof typeof OPERATIONS & keyof operations;

/** Text and bytes, which are sent as they are. A stream could not be sent again. */
export type FileBody = string | Blob | ArrayBuffer | Uint8Array;

type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;

type Parameters<Op> = Op extends { parameters: { path?: infer Path; query?: infer Query } }
  ? Given<Path> & Given<Query>
  : unknown;

type Content<Body> = Body extends { content: infer Types }
  ? Types extends { 'application/json': infer Json }
    ? Json | ([keyof Types] extends ['application/json'] ? never : FileBody)
    : FileBody
  : never;

type Body<Op> = Op extends { requestBody: infer Required }
  ? { body: Content<Required> }
  : Op extends { requestBody?: infer Optional }
    ? [NonNullable<Optional>] extends [never]
      ? unknown
      : { body?: Content<NonNullable<Optional>> }
    : unknown;

type Answer<Response> = Response extends { content: { 'application/json': infer Json } }
  ? Json
  : Response extends { content?: never }
    ? null
    : globalThis.Response;

/** Parameters of path and query by name, and the body. */
export type Arguments<Id extends OperationId> = Parameters<operations[Id]> & Body<operations[Id]>;

/** The JSON of the answer; null without content; the response itself for a file. */
export type Result<Id extends OperationId> = Answer<
  operations[Id]['responses'][keyof operations[Id]['responses']]
>;
