/** Settings of `npm start` from the environment. The only file of dev/ that reads process.env. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { COAP_PORT_DEFAULT, PORT_DEFAULT, readSettings, type Settings } from '../../src/process/config.ts';
import { SETTING_NAMES, validateEnvironment } from '../../src/process/environment.ts';
import { readTemporalProfile } from '../../src/process/temporal-settings.ts';

/** Settings that are known before the servers run. */
export interface StartSettings {
  dataDir: string;
  port: WantedPort;
  coapPort: WantedPort;
  /** Null: `npm start` runs a server of its own. */
  databaseUrl: string | null;
  temporalAddress: string | null;
  /** For child processes. */
  env: NodeJS.ProcessEnv;
  cacheDir: string;
}

export interface WantedPort {
  port: number;
  /** Whether the environment names it, so that no other one will do. */
  isGiven: boolean;
}

/** Settings that are known once the servers run. */
export interface FoundSettings {
  databaseUrl: string;
  temporalAddress: string;
  port: number;
  coapPort: number;
  secretsKeys: string;
  /** UI of the Temporal server that was started along; null when there is none. */
  temporalUi: string | null;
}

export function readStartSettings(env: NodeJS.ProcessEnv = process.env): StartSettings {
  const values = validateEnvironment(env);
  const { address } = readTemporalProfile(env);
  return Object.freeze({
    dataDir: resolve(values.DATA_DIR),
    port: wanted(values.PORT, PORT_DEFAULT),
    coapPort: wanted(values.COAP_PORT, COAP_PORT_DEFAULT),
    databaseUrl: values.DATABASE_URL ?? null,
    temporalAddress: address ?? null,
    env: address === undefined ? withoutTemporalAccess(env) : { ...env },
    cacheDir: join(homedir(), '.cache', 'device-monitoring-service'),
  });
}

/** The embedded server accepts neither TLS nor keys, which may be set for the command line of Temporal. */
const withoutTemporalAccess = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^TEMPORAL_(TLS|API_KEY|GRPC_META|PROFILE|CONFIG_FILE)/.test(name),
    ),
  );

/** Where programs and files are found, which every service on this machine can use. */
const SHARED = ['TEMPORAL_CLI_PATH', 'WORKFLOW_BUNDLE'];

/** The environment of a service beside the one to which its settings belong. */
export const environmentBeside = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => SHARED.includes(name) || !(name.startsWith('TEMPORAL_') || SETTING_NAMES.includes(name)),
    ),
  );

const wanted = (given: number | undefined, fallback: number): WantedPort => ({
  port: given ?? fallback,
  isGiven: given !== undefined,
});

/** The settings of the service: from the environment, with defaults for one machine. */
export const settingsForStart = ({ env }: StartSettings, found: FoundSettings): Settings =>
  readSettings({
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8,::1/128',
    COAP_REQUIRE_TOKEN: 'false',
    SECRETS_KEYS: found.secretsKeys,
    OPERATOR_URL: `http://127.0.0.1:${found.port}`,
    TEMPORAL_UI_URL: found.temporalUi ?? undefined,
    ...env,
    DATABASE_URL: found.databaseUrl,
    TEMPORAL_ADDRESS: found.temporalAddress,
    PORT: String(found.port),
    COAP_PORT: String(found.coapPort),
  });
