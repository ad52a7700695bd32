/** The loggers of a run: half over CoAP, half over HTTP, on a lossy link; some refuse every change. */
import { createFleet, type Fleet } from '../simulator/fleet.ts';
import { registerAssets } from '../simulator/register-assets.ts';
import { createFleetRecords, type FleetRecords, recordedUplink } from './recorded-uplink.ts';
import type { ActualDevice } from './records.ts';

export interface Fleets {
  records: FleetRecords;
  /** Without devices that never transmit, which would keep a job from ending before its deadline. */
  transmitting: string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  actual(): ActualDevice[];
}

export interface FleetsOptions {
  devices: number;
  seed: number;
  baseUrl: string;
  coapPort: number;
  apiKey: string;
  deviceToken: string;
}

/** In real time a sample every 5 seconds, a frame every 15, and an acknowledgement every 30. */
const SPEED = 60;
const FACTORY = { measurementSeconds: 300, transmissionSeconds: 900, ackIntervalSeconds: 1_800 };
const LINK = { drop: 0.02, duplicate: 0.03, late: 0.01, refuse: 0.05 };
const MUTE = 2;
const BOOT_MS = 10_000;

export async function createFleets(options: FleetsOptions): Promise<Fleets> {
  const { devices, seed, baseUrl, coapPort, deviceToken } = options;
  const records = createFleetRecords();
  const coapDevices = Math.ceil(devices / 2);
  const shared = {
    mute: MUTE,
    deviceToken,
    speed: SPEED,
    factory: FACTORY,
    faults: LINK,
    bootWithinMs: BOOT_MS,
    wrapUplink: (uplink: Parameters<typeof recordedUplink>[0]) => recordedUplink(uplink, records),
  };
  const fleets: Fleet[] = [
    createFleet({
      ...shared,
      devices: coapDevices,
      transport: 'coap',
      coapUrl: `coap://127.0.0.1:${coapPort}`,
      prefix: '282CC0',
      seed,
    }),
    createFleet({
      ...shared,
      devices: devices - coapDevices,
      transport: 'http',
      baseUrl,
      prefix: '282C88',
      seed: seed + 1,
    }),
  ];
  const serials = fleets.flatMap((fleet) => [...fleet.serials, ...fleet.muteSerials]);
  await registerAssets(
    options,
    serials.map((serialNumber) => ({ serialNumber })),
  );
  return {
    records,
    transmitting: fleets.flatMap((fleet) => fleet.serials),
    async start() {
      for (const fleet of fleets) await fleet.start();
    },
    async stop() {
      for (const fleet of fleets) await fleet.stop();
    },
    actual: () =>
      fleets.flatMap((fleet) => [
        ...fleet.serials.map((serialNumber) => toActual(fleet, serialNumber, records)),
        ...fleet.muteSerials.map((serialNumber) => ({
          serialNumber,
          config: null,
          refuses: false,
          reported: [],
        })),
      ]),
  };
}

function toActual(fleet: Fleet, serialNumber: string, { reported }: FleetRecords): ActualDevice {
  const device = fleet.device(serialNumber);
  return {
    serialNumber,
    config: device?.state().config ?? null,
    refuses: device?.traits.refuses ?? false,
    reported: reported.get(serialNumber) ?? [],
  };
}
