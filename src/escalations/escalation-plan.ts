/** The next step of a policy, and its time. */
import { plusMinutes } from '../process/durations.ts';
import type { EscalationPolicy } from './escalation-policy.ts';

export const REPEATS_MAX = 10;

export interface EscalationProgress {
  beganAt: Date;
  stepsMade: number;
  /** Number of repeats of the last step. */
  repeatsMade: number;
  /** Null: no step was made yet. */
  lastStepAt: Date | null;
}

export interface PlannedStep {
  /** Counted from 1. */
  position: number;
  isRepeat: boolean;
  at: Date;
  channelIds: string[];
}

/** Null: all steps and repeats were made. A policy that has lost steps continues after its last one. */
export function nextStep(
  { steps, repeatMinutes }: Pick<EscalationPolicy, 'steps' | 'repeatMinutes'>,
  { beganAt, stepsMade, repeatsMade, lastStepAt }: EscalationProgress,
): PlannedStep | null {
  const next = steps[stepsMade];
  if (next) {
    const { afterMinutes, channelIds } = next;
    return {
      position: stepsMade + 1,
      isRepeat: false,
      at: plusMinutes(beganAt, afterMinutes),
      channelIds,
    };
  }
  const last = steps.at(-1);
  if (!last || repeatMinutes === null || lastStepAt === null || repeatsMade >= REPEATS_MAX) return null;
  return {
    position: steps.length,
    isRepeat: true,
    at: plusMinutes(lastStepAt, repeatMinutes),
    channelIds: last.channelIds,
  };
}

export const afterStep = (
  progress: EscalationProgress,
  { isRepeat }: PlannedStep,
  at: Date,
): EscalationProgress => ({
  ...progress,
  stepsMade: progress.stepsMade + (isRepeat ? 0 : 1),
  repeatsMade: progress.repeatsMade + (isRepeat ? 1 : 0),
  lastStepAt: at,
});
