/**
 * Any number of simulated loggers against one service: for the command line, the demo, tests and benches.
 *
 * Every interval of a device takes 1/speed of its time, in whole seconds for samples, and all times in
 * messages are real. So a day of temperatures passes in minutes, no time is in the future, and deadlines of
 * the service hold.
 */
import type { Climate } from './climate.ts';
import { type CoapClient, createCoapClient } from './coap-client.ts';
import { createCoapUplink } from './coap-uplink.ts';
import { type DeviceTraits, FACTORY, type FactorySettings, newDevice } from './device-state.ts';
import { type Copies, copiesOf, type FaultShares, NO_FAULTS, withOutages } from './faults.ts';
import { createFleetCounter, type FleetStats } from './fleet-stats.ts';
import { createHttpUplink } from './http-uplink.ts';
import { createRandom, noise } from './random.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';
import { createSimulatedDevice, type SimulatedDevice } from './simulated-device.ts';
import type { Uplink } from './uplink.ts';

export interface FleetOptions {
  devices: number;
  /** Number of devices, the last ones, that never transmit. */
  mute?: number;
  transport: 'coap' | 'http';
  /** `coap://host:port`; for transport `coap`. */
  coapUrl?: string;
  /** For transport `http`. */
  baseUrl?: string;
  deviceToken: string;
  climate?: Climate;
  speed?: number;
  /** The first hex digits of all serials, 10 at most; a number follows. */
  prefix?: string;
  faults?: FaultShares;
  factory?: FactorySettings;
  /** Temperature, humidity, temperature. */
  isThreeChannels?: boolean;
  seed?: number;
  /** The boots are spread over this time. */
  bootWithinMs?: number;
  /** How long a device runs a new configuration before it reports. Default: 0. */
  reportAfterMs?: number;
  /** Time before a retransmission. Default: 2000, as in RFC 7252. */
  ackTimeoutMs?: number;
  nowMs?(): number;
  /** Wraps the link of each device, to record its messages and answers. */
  wrapUplink?(uplink: Uplink): Uplink;
}

export interface Fleet {
  readonly serials: readonly string[];
  readonly muteSerials: readonly string[];
  start(): Promise<void>;
  /** Sends nothing more; exchanges under way are abandoned. */
  stop(): Promise<void>;
  stats(): FleetStats;
  device(serialNumber: string): SimulatedDevice | undefined;
}

const SOCKETS_MAX = 256;
const SERIAL_DIGITS = 12;
const DAY_SECONDS = 86_400;
const TYPES_TWO = [1, 2, 0, 0, 0, 0];
const TYPES_THREE = [1, 2, 1, 0, 0, 0];

export function serialsOf(prefix: string, count: number): string[] {
  const digits = SERIAL_DIGITS - prefix.length;
  if (!/^[0-9A-F]*$/i.test(prefix) || digits < 1 || count > 16 ** digits) {
    throw new Error(`${count} serials of ${SERIAL_DIGITS} hex digits cannot begin with ${prefix}`);
  }
  return Array.from({ length: count }, (_, index) =>
    `${prefix}${index.toString(16).padStart(digits, '0')}`.toUpperCase(),
  );
}

export function createFleet(options: FleetOptions): Fleet {
  const {
    devices: count,
    mute = 0,
    prefix = '282C',
    seed = 1,
    bootWithinMs = 0,
    faults = NO_FAULTS,
  } = options;
  const { nowMs = Date.now, wrapUplink = (uplink: Uplink) => uplink } = options;
  const random = createRandom(seed);
  const serials = serialsOf(prefix, count);
  const transmitting = serials.slice(0, Math.max(0, count - mute));
  const counter = createFleetCounter();
  const devices = new Map<string, SimulatedDevice>();
  const boots: NodeJS.Timeout[] = [];
  let links: Links | null = null;
  let isStopped = false;

  function build(serialNumber: string, index: number, { uplinkOf }: Links): SimulatedDevice {
    const factory = options.factory ?? FACTORY;
    const ackIntervalSeconds = options.transport === 'http' ? null : factory.ackIntervalSeconds;
    const traits = traitsOf(options, serialNumber, index);
    return createSimulatedDevice({
      traits,
      place: { climate: options.climate ?? 'fridge', seed: seed * 100_003 + index },
      state: newDevice({ ...factory, ackIntervalSeconds }, nowMs()),
      uplink: withOutages(wrapUplink(uplinkOf(index)), faults.late, random),
      counter,
      nowMs,
      reportAfterMs: options.reportAfterMs ?? 0,
      startSeconds: Math.floor(noise(seed + 5, index) * DAY_SECONDS),
    });
  }

  return {
    serials: transmitting,
    muteSerials: serials.slice(transmitting.length),
    async start() {
      const opened = await openLinks(options, transmitting.length, copiesOf(faults, random));
      if (isStopped) return opened.close();
      links = opened;
      transmitting.forEach((serial, index) => {
        const boot = () => {
          const device = build(serial, index, opened);
          devices.set(serial, device);
          device.start();
        };
        boots.push(setTimeout(boot, random() * bootWithinMs));
      });
    },
    async stop() {
      isStopped = true;
      for (const boot of boots) clearTimeout(boot);
      for (const device of devices.values()) device.stop();
      await links?.close();
    },
    stats() {
      const all = [...devices.values()];
      const sum = (of: (device: SimulatedDevice) => number) =>
        all.reduce((total, each) => total + of(each), 0);
      return {
        ...counter.counts(),
        devices: count,
        mute: count - transmitting.length,
        online: sum((device) => Number(device.isOnline())),
        configurations: {
          applied: sum((device) => device.state().counts.applied),
          refused: sum((device) => device.state().counts.refused),
          waiting: sum((device) => Number(device.state().isReportWanted)),
        },
      };
    },
    device: (serialNumber) => devices.get(serialNumber),
  };
}

function traitsOf(options: FleetOptions, serialNumber: string, index: number): DeviceTraits {
  const { seed = 1, speed = 1, faults = NO_FAULTS, isThreeChannels = false } = options;
  const draw = (salt: number) => noise(seed + salt, index);
  return {
    serialNumber,
    cloudToken: options.deviceToken,
    channelTypes: isThreeChannels ? TYPES_THREE : TYPES_TWO,
    speed,
    phaseMs: Math.floor(draw(1) * 1000),
    refuses: draw(2) < faults.refuse,
    reportParts: draw(3) < 0.5 ? 1 : 2,
    softwareVersion: '06.10',
    signal: 20 + Math.floor(draw(4) * 30),
  };
}

interface Links {
  uplinkOf(index: number): Uplink;
  close(): Promise<void>;
}

async function openLinks(options: FleetOptions, count: number, copies: Copies): Promise<Links> {
  const { transport, coapUrl, baseUrl, deviceToken } = options;
  if (transport === 'http') {
    if (!baseUrl) throw new Error('HTTP needs the address of the service');
    const client: ServiceClient = createServiceClient({ baseUrl, key: deviceToken });
    return { uplinkOf: () => createHttpUplink(client, copies), close: client.close };
  }
  if (!coapUrl) throw new Error('CoAP needs the address of the gateway');
  const { hostname, port } = new URL(coapUrl);
  const to = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5683) };
  const clients: CoapClient[] = [];
  for (let index = 0; index < Math.min(count, SOCKETS_MAX); index++) {
    clients.push(await createCoapClient({ ...to, ackTimeoutMs: options.ackTimeoutMs, copies }));
  }
  return {
    uplinkOf: (index) => createCoapUplink(clients[index % clients.length] as CoapClient),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
