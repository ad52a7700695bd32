/**
 * A simulated logger as a state machine: an event leads to a new state and effects. No clock, no network, no
 * randomness; the protocol's rules for a device are all here.
 *
 * It measures at every interval, and transmits at every transmission interval or when its rules trigger; a
 * frame is confirmable when the ack interval has passed. An answer may change the configuration, which the
 * device then reports.
 */
import { applyAnswer } from './apply-answer.ts';
import { frame, info, report } from './device-effects.ts';
import {
  type DeviceEvent,
  type DeviceState,
  type DeviceTraits,
  nextTransmissionAfter,
  type Outcome,
  samplePeriodSeconds,
  type UnderWay,
} from './device-state.ts';
import { evaluateRules } from './rule-states.ts';
import { acknowledgedThrough, nextRun, remembered, type Sample, sent, unsentRuns } from './sample-memory.ts';

export function step(traits: DeviceTraits, state: DeviceState, event: DeviceEvent, nowMs: number): Outcome {
  switch (event.kind) {
    case 'boot':
      return { state, effects: [info(traits), report(traits, state, false)] };
    case 'wake':
      return onWake(traits, state, event.values, nowMs);
    case 'answered':
      return answered(traits, state, event, nowMs);
    case 'unanswered':
      return event.exchange === 'measurements' ? unanswered(traits, state, nowMs) : { state, effects: [] };
  }
}

function onWake(
  traits: DeviceTraits,
  state: DeviceState,
  values: ReadonlyArray<number | null>,
  nowMs: number,
): Outcome {
  const measured = withSample(traits, state, values, nowMs);
  const { states, trigger } = evaluateRules(state.config, state.rules, {
    values,
    nowMs,
    speed: traits.speed,
  });
  const next = { ...measured, rules: states };
  if (trigger) return transmit(traits, next, nowMs, trigger === 'frame with ack');
  return nowMs >= next.nextTransmissionMs
    ? transmit(traits, next, nowMs, false)
    : { state: next, effects: [] };
}

/** The sample has the planned time; a device that woke too late skips missed samples. */
function withSample(
  traits: DeviceTraits,
  state: DeviceState,
  values: ReadonlyArray<number | null>,
  nowMs: number,
): DeviceState {
  const periodSeconds = samplePeriodSeconds(traits, state);
  const missed = Math.max(0, Math.floor((nowMs / 1000 - state.nextSampleAt) / periodSeconds));
  const at = state.nextSampleAt + missed * periodSeconds;
  const number = (state.memory.samples.at(-1)?.number ?? state.memory.sentThrough) + 1;
  const sample: Sample = { number, at, periodSeconds, values };
  return {
    ...state,
    memory: remembered(state.memory, sample),
    lastSampleAt: at,
    nextSampleAt: at + periodSeconds,
  };
}

function transmit(traits: DeviceTraits, state: DeviceState, nowMs: number, isAckWanted: boolean): Outcome {
  const at = plannedMs(state, nowMs);
  const isConfirmable = isAckWanted || state.ackIntervalSeconds === null || at >= state.nextAckMs;
  const next = { ...state, nextTransmissionMs: nextTransmissionAfter(traits, state, at) };
  if (state.underWay) {
    const wanted = isConfirmable || state.wanted === 'frame with ack' ? 'frame with ack' : 'frame';
    return { state: { ...next, wanted }, effects: [] };
  }
  const planned = { ...next, wanted: null };
  if (!isConfirmable) return unconfirmed(traits, planned);
  return confirmable(traits, planned, {
    transmissionThrough: planned.memory.samples.at(-1)?.number ?? 0,
    plannedMs: at,
  });
}

/** A device wakes some milliseconds late: it plans from the intended time, so delays do not add up. */
const plannedMs = ({ lastSampleAt }: DeviceState, nowMs: number) =>
  lastSampleAt === null ? nowMs : lastSampleAt * 1000;

/** One frame of unacknowledged samples, oldest first; its acknowledgement sends the next one. */
function confirmable(
  traits: DeviceTraits,
  state: DeviceState,
  transmission: Omit<UnderWay, 'through'>,
): Outcome {
  const samples = nextRun(state.memory);
  const last = samples.at(-1);
  if (!last) return { state, effects: [] };
  return {
    state: {
      ...state,
      memory: sent(state.memory, last.number),
      underWay: { ...transmission, through: last.number },
    },
    effects: [frame(traits, state, samples, true)],
  };
}

function unconfirmed(traits: DeviceTraits, state: DeviceState): Outcome {
  const runs = unsentRuns(state.memory);
  const last = runs.at(-1)?.at(-1);
  return {
    state: { ...state, memory: last ? sent(state.memory, last.number) : state.memory, isFirst: false },
    effects: runs.map((samples) => frame(traits, state, samples, false)),
  };
}

function answered(
  traits: DeviceTraits,
  state: DeviceState,
  { exchange, answer }: Extract<DeviceEvent, { kind: 'answered' }>,
  nowMs: number,
): Outcome {
  const ended = exchange === 'measurements' ? acknowledged(traits, state, nowMs) : { state, effects: [] };
  const applied = applyAnswer(traits, ended.state, answer, nowMs);
  // Reports come before frames, because they are short and the service waits for them.
  return { state: applied.state, effects: [...applied.effects, ...ended.effects] };
}

function acknowledged(traits: DeviceTraits, state: DeviceState, nowMs: number): Outcome {
  const { underWay } = state;
  if (!underWay) return { state, effects: [] };
  const next: DeviceState = {
    ...state,
    memory: acknowledgedThrough(state.memory, underWay.through),
    underWay: null,
    isFirst: false,
    retries: 0,
    nextAckMs: underWay.plannedMs + ((state.ackIntervalSeconds ?? 0) * 1000) / traits.speed,
  };
  if (underWay.through < underWay.transmissionThrough) {
    return confirmable(traits, next, underWay);
  }
  return withWanted(traits, next, nowMs);
}

/** All samples stay in memory; the next transmission is confirmable again. */
function unanswered(traits: DeviceTraits, state: DeviceState, nowMs: number): Outcome {
  return withWanted(
    traits,
    { ...state, underWay: null, retries: state.retries + 1, nextAckMs: nowMs },
    nowMs,
  );
}

function withWanted(traits: DeviceTraits, state: DeviceState, nowMs: number): Outcome {
  const { wanted } = state;
  if (!wanted) return { state, effects: [] };
  return transmit(traits, { ...state, wanted: null }, nowMs, wanted === 'frame with ack');
}
