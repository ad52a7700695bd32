/** The options of `npm run sim`; without an address, addresses and keys are those of `npm start`. */
import { parseArgs } from 'node:util';
import type { LocalInstance } from '../local/local-instance.ts';
import { CLIMATES, type Climate } from './climate.ts';
import { FACTORY, type FactorySettings } from './device-state.ts';
import { DEFAULT_SHARES, FAULTS, type Fault, type FaultShares, NO_FAULTS } from './faults.ts';
import type { FleetOptions } from './fleet.ts';

export const SIM_USAGE = `npm run sim -- [options]

  --devices N         how many (20)
  --speed N           intervals take 1/N of their time (60)
  --transport WAY     coap or http (coap)
  --profile CLIMATE   what they measure: fridge, freezer or room (fridge)
  --fault LIST        drop, late, duplicate, refuse; a share is optional: drop=0.3,late
  --minutes N         real minutes (until Ctrl-C)
  --register          registers the devices first
  --mute N            that many never transmit (0)
  --prefix HEX        the first digits of serials (282C)
  --measure S         factory measurement interval in seconds (${FACTORY.measurementSeconds})
  --transmit S        factory transmission interval in seconds (${FACTORY.transmissionSeconds})
  --ack S             seconds between confirmable frames, or always (${FACTORY.ackIntervalSeconds})
  --three-channels    temperature, humidity, temperature
  --seed N            the same seed gives the same temperatures and faults (1)
  --base-url, --api-key, --device-token, --coap-url   instead of those of npm start; an address of another
                      service needs keys of its own
`;

/** A timer that is to wait for longer fires at once. */
const MINUTES_MAX = 35_000;

/** An invalid option; the message names valid ones. */
export class OptionFault extends Error {}

export interface SimOptions {
  fleet: FleetOptions;
  isRegistering: boolean;
  baseUrl: string;
  apiKey: string;
  /** Null: until Ctrl-C. */
  minutes: number | null;
}

const OPTIONS = {
  devices: { type: 'string' },
  speed: { type: 'string' },
  transport: { type: 'string' },
  profile: { type: 'string' },
  fault: { type: 'string' },
  minutes: { type: 'string' },
  register: { type: 'boolean' },
  mute: { type: 'string' },
  prefix: { type: 'string' },
  measure: { type: 'string' },
  transmit: { type: 'string' },
  ack: { type: 'string' },
  'three-channels': { type: 'boolean' },
  seed: { type: 'string' },
  'base-url': { type: 'string' },
  'api-key': { type: 'string' },
  'device-token': { type: 'string' },
  'coap-url': { type: 'string' },
} as const;

export type LocalAddresses = Partial<Pick<LocalInstance, 'baseUrl' | 'apiKey' | 'deviceToken' | 'coapUrl'>>;

/** @throws OptionFault */
export function simOptions(typed: string[], running: LocalAddresses): SimOptions {
  const values = parsed(typed);
  // The keys of this service must not get to another one.
  const local = values['base-url'] === undefined && values['coap-url'] === undefined ? running : {};
  const number = (name: keyof typeof OPTIONS, fallback: number, min = 0) => {
    const text = values[name];
    const value = text === undefined ? fallback : Number(text);
    if (!Number.isFinite(value) || value < min)
      throw new OptionFault(`--${name} must be a number from ${min} on`);
    return value;
  };
  const needed = (name: 'base-url' | 'api-key' | 'device-token' | 'coap-url', found: string | undefined) => {
    const value = values[name] ?? found;
    if (!value) throw new OptionFault(`Give --${name}, or start the service (npm start) and give no address`);
    return value;
  };
  const transport = oneOf('transport', values.transport ?? 'coap', ['coap', 'http'] as const);
  const isRegistering = values.register ?? false;
  const isHttpNeeded = isRegistering || transport === 'http';
  const speed = number('speed', 60, 0.001);
  const factory = factoryOf(values.ack, number);
  const minutes = values.minutes === undefined ? null : number('minutes', 0, 0.01);
  if (minutes !== null && minutes > MINUTES_MAX)
    throw new OptionFault(`--minutes must be up to ${MINUTES_MAX}`);
  return {
    isRegistering,
    baseUrl: isHttpNeeded ? needed('base-url', local.baseUrl) : '',
    apiKey: isRegistering ? needed('api-key', local.apiKey) : '',
    minutes,
    fleet: {
      devices: Math.floor(number('devices', 20, 1)),
      mute: number('mute', 0),
      transport,
      coapUrl: transport === 'coap' ? needed('coap-url', local.coapUrl) : undefined,
      baseUrl: values['base-url'] ?? local.baseUrl,
      deviceToken: needed('device-token', local.deviceToken),
      climate: oneOf<Climate>('profile', values.profile ?? 'fridge', CLIMATES),
      speed,
      prefix: values.prefix ?? '282C',
      faults: faultsOf(values.fault),
      factory,
      isThreeChannels: values['three-channels'] ?? false,
      seed: number('seed', 1),
      // Spread over a transmission interval, like a fleet that has run for long.
      bootWithinMs: Math.min(30_000, (factory.transmissionSeconds * 1000) / speed),
    },
  };
}

function parsed(typed: string[]) {
  try {
    return parseArgs({ args: typed, options: OPTIONS }).values;
  } catch (error) {
    throw new OptionFault((error as Error).message.split('\n')[0]);
  }
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (!found) throw new OptionFault(`--${name} must be one of ${allowed.join(', ')}`);
  return found;
}

function factoryOf(
  ack: string | undefined,
  number: (name: 'measure' | 'transmit' | 'ack', fallback: number, min?: number) => number,
): FactorySettings {
  return {
    measurementSeconds: number('measure', FACTORY.measurementSeconds, 1),
    transmissionSeconds: number('transmit', FACTORY.transmissionSeconds, 60),
    ackIntervalSeconds: ack === 'always' ? null : number('ack', FACTORY.ackIntervalSeconds ?? 0, 60),
  };
}

/** `drop,late=0.2` */
export function faultsOf(text: string | undefined): FaultShares {
  const faults = { ...NO_FAULTS };
  for (const word of (text ?? '').split(',').filter(Boolean)) {
    const [name = '', share] = word.split('=');
    const fault = oneOf<Fault>('fault', name, FAULTS);
    const value = share === undefined ? DEFAULT_SHARES[fault] : Number(share);
    if (!(value >= 0 && value <= 1)) throw new OptionFault(`--fault ${name} must have a share from 0 to 1`);
    faults[fault] = value;
  }
  return faults;
}
