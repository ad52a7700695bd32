import { notFound } from '../process/errors.ts';
import type { Route } from './route.ts';
import { bodyValidator, noParameters, paramsCheck, queryValidator } from './validate.ts';

/** The schemas of one route's request, compiled once. */
export function compileRequestSchema({ tag, params, query, body }: Route) {
  const validateBody = bodyValidator(body ?? noParameters);
  const isParams = params ? paramsCheck(params) : () => true;
  return {
    query: queryValidator(query ?? noParameters),
    body: (value: unknown) => (body || value !== undefined ? validateBody(value) : undefined),
    params(value: unknown): unknown {
      if (!isParams(value)) throw notFound(`${tag}: nothing has this name or id`);
      return value;
    },
  };
}
