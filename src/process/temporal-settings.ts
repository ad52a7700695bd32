/**
 * How Temporal is reached, by the variables that its own tools use: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE,
 * TEMPORAL_API_KEY, TEMPORAL_TLS and TEMPORAL_TLS_…, or a profile of a configuration file. The file is read
 * only if TEMPORAL_CONFIG_FILE or TEMPORAL_PROFILE is set, because a file in the home folder is meant for the
 * command line of Temporal.
 */
import { type ClientConnectConfig, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { Env } from './environment.ts';

/** Without `tls`, the connection is not encrypted; with true, by the certificates of the system. */
export type TemporalAccess = Pick<ClientConnectConfig['connectionOptions'], 'tls' | 'apiKey' | 'metadata'>;

export interface TemporalProfile {
  address: string | undefined;
  namespace: string | undefined;
  access: TemporalAccess;
}

/** @throws when a file cannot be read, or the variables contradict each other. */
export function readTemporalProfile(env: Env): TemporalProfile {
  try {
    return readProfile(temporalVariables(env));
  } catch (error) {
    throw new Error(`The connection to Temporal is not right: ${explain(error)}`, { cause: error });
  }
}

function readProfile(variables: Record<string, string>): TemporalProfile {
  const disableFile = !('TEMPORAL_CONFIG_FILE' in variables || 'TEMPORAL_PROFILE' in variables);
  const profile = loadClientConfigProfile({ overrideEnvVars: variables, disableFile });
  if ((profile.tls?.clientCert === undefined) !== (profile.tls?.clientKey === undefined))
    throw new Error('a client certificate needs its key, and a key its certificate (TEMPORAL_TLS_CLIENT_…)');
  const { connectionOptions, namespace } = toClientOptions(profile);
  const { address, tls, apiKey, metadata } = connectionOptions;
  return { address, namespace, access: { tls, apiKey, metadata } };
}

/** An empty variable counts as unset. */
const temporalVariables = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[0].startsWith('TEMPORAL_') && Boolean(entry[1]),
    ),
  );

function explain(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  return code !== undefined && path !== undefined
    ? `the file ${path} cannot be read (${code})`
    : String(message);
}
