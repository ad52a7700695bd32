/** Reads a request as a route does before its handler: by the functions of the server, without a server. */
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { Readable } from 'node:stream';
import { compose } from '../../src/compose/service.ts';
import { readJsonBody } from '../../src/http/read-body.ts';
import { renderError } from '../../src/http/render-error.ts';
import type { Route } from '../../src/http/route.ts';
import { compileRequestSchema } from '../../src/http/validate.ts';
import { readSettings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';

/** All routes of the service, without connections. */
export function allRoutes(): Route[] {
  const settings = readSettings({
    DATABASE_URL: 'postgres://nowhere',
    TEMPORAL_ADDRESS: 'nowhere:1',
    SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  });
  return compose({ settings, log: createLog('silent') }).routes;
}

const compiled = new Map<string, ReturnType<typeof compileRequestSchema>>();

function shapeOf(route: Route) {
  const shape = compiled.get(route.operationId) ?? compileRequestSchema(route);
  compiled.set(route.operationId, shape);
  return shape;
}

/** The status and message of the refusal; null: the handler decides. */
export type Refusal = { status: number; message: string } | null;

async function refusalBy(work: () => unknown): Promise<Refusal> {
  try {
    await work();
    return null;
  } catch (error) {
    const { status, body } = renderError(error);
    return { status, message: body.message };
  }
}

export const refusalOfBody = (
  route: Route,
  payload: string | Buffer,
  type = 'application/json',
): Promise<Refusal> =>
  refusalBy(async () => {
    const stream = Readable.from([Buffer.from(payload)]);
    const request = Object.assign(stream, { headers: { 'content-type': type } });
    const { value } = await readJsonBody(request as unknown as IncomingMessage, () => {});
    shapeOf(route).body(value);
  });

/** `text` is the part after the question mark. */
export const refusalOfQuery = (route: Route, text: string): Promise<Refusal> =>
  refusalBy(() => shapeOf(route).query(parse(text), {}));

/** `names`: the path parameters as the client sends them. */
export const refusalOfPath = (route: Route, names: Record<string, string>): Promise<Refusal> =>
  refusalBy(() =>
    shapeOf(route).params(
      Object.fromEntries(Object.entries(names).map(([slot, name]) => [slot, decoded(name)])),
    ),
  );

/** An invalid encoding stands for itself, as in the router. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
