/** The messages that a device sends, as effects of its state machine. */
import { infoOf, measurementsOf, reportOf } from './device-messages.ts';
import type { DeviceEffect, DeviceState, DeviceTraits } from './device-state.ts';
import type { Sample } from './sample-memory.ts';

export const frame = (
  traits: DeviceTraits,
  state: DeviceState,
  samples: readonly Sample[],
  isConfirmable: boolean,
): DeviceEffect => ({
  kind: 'measurements',
  message: measurementsOf(traits, state, samples, state.nextTransmissionMs),
  confirmable: isConfirmable,
});

export const report = (traits: DeviceTraits, state: DeviceState, isConfirmable: boolean): DeviceEffect => ({
  kind: 'report',
  report: reportOf(traits, state),
  parts: traits.reportParts,
  confirmable: isConfirmable,
});

export const info = (traits: DeviceTraits): DeviceEffect => ({
  kind: 'info',
  info: infoOf(traits),
  confirmable: true,
});
