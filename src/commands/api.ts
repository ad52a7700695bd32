/** Access of commands to the API. */
import { type Client, createClient } from '../../client/src/index.ts';
import { readRemoteSettings } from '../process/config.ts';
import { notFound } from '../process/errors.ts';
import { type Command, type CommandInput, isWebAddress, type Output, option, UsageError } from './command.ts';
import { findLocalService } from './local-service.ts';
import { type Login, readLogins } from './logins.ts';

export interface Api {
  dms: Client;
  url: string;
}

/** Another program at the address may accept a connection and never answer. */
export const ANSWER_MS_MAX = 5_000;

type Work = (api: Api, input: CommandInput) => Promise<Output | undefined>;

/** Options of a command that uses the API. */
export const byApi = (work: Work): Pick<Command, 'isRemote' | 'run'> => ({
  isRemote: true,
  run: async (input) => work(connect(findLogin(input)), input),
});

export function connect({ url, apiKey }: Login): Api {
  // The first characters of a key in a list end with an ellipsis, which no header can have.
  if (!/^[ -~]+$/.test(apiKey.trim()))
    return fail('The key must be the whole one: a list shows how it begins');
  return { dms: createClient({ baseUrl: url, apiKey }), url };
}

/** Fetches what the service shows without a key. */
export const fetchFrom = (url: string, path: string): Promise<Response> =>
  fetch(`${url}${path}`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });

/** `--login`, else DMS_URL and DMS_KEY, else the latest login, else the latest `npm start`. */
export function findLogin(input: CommandInput): Login {
  const name = option(input, 'login');
  const { url, apiKey, loginFile } = readRemoteSettings();
  const logins = readLogins(loginFile);
  if (name !== undefined) return logins.byName[name] ?? failWith(noSuchLogin(name));
  if (url !== null && !isWebAddress(url))
    return fail('DMS_URL must be a URL that begins with http:// or https://');
  if (url !== null && apiKey !== null) return { url: url.replace(/\/+$/, ''), apiKey };
  if (url !== null || apiKey !== null) return fail('Set both DMS_URL and DMS_KEY, or neither');
  const current = logins.current === null ? undefined : logins.byName[logins.current];
  return (
    current ?? findLocal() ?? fail('Which service? Log in first (dms login URL), or set DMS_URL and DMS_KEY')
  );
}

function findLocal(): Login | null {
  const local = findLocalService();
  return local && { url: local.baseUrl, apiKey: local.apiKey };
}

export const noSuchLogin = (name: string) => notFound(`There is no login ${name}: see dms logins`);

const fail = (message: string): never => failWith(new UsageError(message));

function failWith(error: Error): never {
  throw error;
}
