/** At the end, the service shows each device as it is: its configuration, and that it is online. */
import { contradictions } from '../../src/devices/configuration.ts';
import type { ActualDevice, Finding, StoredDevice } from './records.ts';

export function* checkDevices(
  actual: readonly ActualDevice[],
  stored: readonly StoredDevice[],
): Generator<Finding> {
  const shown = new Map(stored.map((device) => [device.serialNumber, device]));
  for (const device of actual) {
    const view = shown.get(device.serialNumber);
    if (!view) yield finding(device, 'is not registered any more');
    else yield* checkView(device, view);
  }
  if (shown.size !== stored.length) yield { about: 'presence', text: 'a device is registered twice' };
}

function* checkView(device: ActualDevice, view: StoredDevice): Generator<Finding> {
  const { syncStatus, listedSyncStatus = syncStatus } = view;
  if (listedSyncStatus !== syncStatus)
    yield finding(device, `is ${syncStatus}, and ${listedSyncStatus} in lists`);
  if (device.config === null) yield* checkMute(device, view);
  else yield* checkTransmitting(device, view);
}

function* checkMute(device: ActualDevice, { status, syncStatus }: StoredDevice): Generator<Finding> {
  if (status !== 'new')
    yield { about: 'presence', text: `${device.serialNumber} never transmitted: ${status}` };
  if (syncStatus !== 'no_device_report') yield finding(device, `never reported and is ${syncStatus}`);
}

function* checkTransmitting(device: ActualDevice, view: StoredDevice): Generator<Finding> {
  const { status, syncStatus, deviceConfig, pendingConfig } = view;
  if (status !== 'online')
    yield { about: 'presence', text: `${device.serialNumber} transmits and is ${status}` };
  if (deviceConfig === null || contradictions(deviceConfig, device.config ?? {}).length > 0)
    yield finding(device, 'runs another configuration than is shown');
  const isSettled = syncStatus === 'applied' || syncStatus === 'drifted';
  if (isSettled !== (pendingConfig === null))
    yield finding(
      device,
      `is ${syncStatus} with ${pendingConfig === null ? 'nothing' : 'something'} pending`,
    );
  // A change that was not refused is offered until it is applied.
  if (!device.refuses && (syncStatus === 'pending' || syncStatus === 'sent'))
    yield finding(device, `is still ${syncStatus}`);
}

const finding = ({ serialNumber }: ActualDevice, text: string): Finding => ({
  about: 'reports',
  text: `${serialNumber} ${text}`,
});
