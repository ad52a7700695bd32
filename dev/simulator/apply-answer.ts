/** How a logger handles an answer: it applies or refuses the change, and sends requested messages. */
import { includes, merged } from '../../src/devices/configuration.ts';
import type { ConfigAnswer } from '../../src/gateway/config-message.ts';
import { report } from './device-effects.ts';
import {
  type DeviceState,
  type DeviceTraits,
  type FullConfiguration,
  nextTransmissionAfter,
  type Outcome,
  samplePeriodSeconds,
} from './device-state.ts';

/** An error code from real reports. */
const REFUSED_CODE = 20_738;

export function applyAnswer(
  traits: DeviceTraits,
  state: DeviceState,
  answer: ConfigAnswer,
  nowMs: number,
): Outcome {
  const { config, configurationRequest = false } = answer;
  if (config && traits.refuses) return refused(traits, state, nowMs);
  const next = config && !includes(state.config, config) ? changed(traits, state, config, nowMs) : state;
  const isReportWanted = configurationRequest || config !== undefined;
  const effects = isReportWanted ? [report(traits, next, false)] : [];
  return { state: { ...next, isReportWanted }, effects };
}

function refused(traits: DeviceTraits, state: DeviceState, nowMs: number): Outcome {
  const next: DeviceState = {
    ...state,
    isReportWanted: true,
    refusal: { codes: [REFUSED_CODE], at: new Date(Math.floor(nowMs / 1000) * 1000) },
    counts: { ...state.counts, refused: state.counts.refused + 1 },
  };
  return { state: next, effects: [report(traits, next, true)] };
}

function changed(
  traits: DeviceTraits,
  state: DeviceState,
  change: Partial<FullConfiguration>,
  nowMs: number,
): DeviceState {
  const next: DeviceState = {
    ...state,
    config: merged(state.config, change) as FullConfiguration,
    hash: state.hash + 1,
    rules: change.alarmRules || change.calendars ? [] : state.rules,
    counts: { ...state.counts, applied: state.counts.applied + 1 },
  };
  const sampleAt = (state.lastSampleAt ?? state.nextSampleAt) + samplePeriodSeconds(traits, next);
  return {
    ...next,
    nextSampleAt:
      state.lastSampleAt === null ? state.nextSampleAt : Math.max(sampleAt, Math.ceil(nowMs / 1000)),
    nextTransmissionMs: Math.min(state.nextTransmissionMs, nextTransmissionAfter(traits, next, nowMs)),
  };
}
