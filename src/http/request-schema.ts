import { notFound } from '../process/errors.ts';
import { createListCursors } from './list-cursors.ts';
import type { Route } from './route.ts';
import { bodyValidator, noParameters, paramsCheck, queryValidator } from './validate.ts';

type Values = Record<string, unknown>;

/** The schemas of one route's request, compiled once. */
export function compileRequestSchema(definition: Route) {
  const { tag, params, query, body } = definition;
  const cursors = createListCursors(definition);
  const validateQuery = queryValidator(query ?? noParameters);
  const validateBody = bodyValidator(body ?? noParameters);
  const isParams = params ? paramsCheck(params) : () => true;
  return {
    query: (values: Values, ofPath: Values) =>
      validateQuery(cursors ? cursors.read(values, ofPath as Record<string, string>) : values),
    body: (value: unknown) => (body || value !== undefined ? validateBody(value) : undefined),
    params(value: unknown): unknown {
      if (!isParams(value)) throw notFound(`${tag}: nothing has this name or id`);
      return value;
    },
  };
}
