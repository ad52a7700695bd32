/**
 * The frame of every run, and the kinds of its steps. A pass reads the rows, and then acts, or waits until a signal, an
 * update or a timer wakes the run. A run ends, or continues as new, when a pass says so and no update is under way.
 */
import type { UpdateDefinition } from '@temporalio/common';
import {
  ActivityFailure,
  type ActivityFunctionWithOptions,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  log,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { toSecond } from '../src/process/iso-time.ts';
import { UUID } from '../src/process/uuid.ts';
import { type SearchAttributeValues, toAttributePairs } from '../src/temporal/workflow-ids.ts';

/** Heartbeats show Temporal within seconds that the worker of a step has died. */
const COMMON = {
  heartbeatTimeout: '8 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const;

/** One transaction of few rows, whose statements have a time limit of their own. */
export const BRIEF = { ...COMMON, startToCloseTimeout: '2 minutes' } as const;

/** Requests to a receiver for some seconds. Each request has a deadline. */
export const SENDING = { ...COMMON, startToCloseTimeout: '5 minutes' } as const;

/** A transaction per chunk of devices: takes longer the more devices there are. */
export const CHUNKED = { ...COMMON, startToCloseTimeout: '1 hour' } as const;

/** The step with a line that the Temporal UI shows beside it. */
export const titled =
  <Args extends unknown[], Result>(
    summary: string,
    step: ActivityFunctionWithOptions<(...args: Args) => Promise<Result>>,
  ) =>
  (...args: Args): Promise<Result> =>
    step.executeWithOptions({ summary }, args) as Promise<Result>;

export interface UpdateOptions<Args extends unknown[]> {
  /** Shown in the Temporal UI. */
  description: string;
  /** The reason for which the update makes no sense at present; null: it does. */
  whyRefused?(...args: Typed<Args>): string | null;
}

export interface Passes {
  /** Returns the result of the run, or null when another pass follows. */
  pass(): Promise<string | null>;
  /** Stops the work in order, after which a pass ends the run that an operator has cancelled. */
  onCancel(): Promise<unknown>;
  continueAsNew(): Promise<never>;
}

/** The part of the input that all runs share. */
export interface RunInput {
  /** The static details. The server gives them to the first run alone, so runs that continue it show them themselves. */
  about?: string;
}

/** Whatever somebody has typed in the Temporal UI. */
type Typed<Args extends unknown[]> = { [Index in keyof Args]: unknown };

const FORMS = {
  id: { isValid: (value: unknown) => typeof value === 'string' && UUID.test(value), text: 'a UUID' },
  milliseconds: {
    isValid: (value: unknown) => Number.isFinite(value) && (value as number) > 0,
    text: 'a positive number',
  },
};

/** `forms` names the fields that the input must have. A run that somebody has started with another input fails at once. */
export function openRun<Input extends RunInput>(
  input: Input,
  forms: Partial<Record<keyof Input & string, keyof typeof FORMS>>,
) {
  requireInput(input, forms);
  const about = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : input.about;
  let isWoken = false;
  let stepsOfOperators = 0;
  let shown: SearchAttributeValues = {};
  const isQuiet = () => stepsOfOperators === 0 && allHandlersFinished();

  /** Carries a step out even when the run is cancelled meanwhile, and reads the rows again. */
  async function act<Result>(step: () => Promise<Result>): Promise<Result> {
    stepsOfOperators++;
    try {
      return await CancellationScope.nonCancellable(step);
    } catch (error) {
      throw toRefusal(error);
    } finally {
      stepsOfOperators--;
      isWoken = true;
    }
  }

  return {
    /** `accept` returns whether the data of the signal is valid. Any signal makes the run read the rows again. */
    onSignal<Args extends unknown[]>(
      signal: SignalDefinition<Args>,
      accept: (...args: Typed<Args>) => boolean = () => true,
    ): void {
      setHandler(signal, (...args: Args) => {
        if (!accept(...args))
          log.warn('The data of a signal is not valid: it is left out', { signal: signal.name });
        isWoken = true;
      });
    },

    /** An update takes as many arguments as its step. */
    onUpdate<Args extends unknown[]>(
      update: UpdateDefinition<string, Args>,
      { description, whyRefused = () => null }: UpdateOptions<Args>,
      step: (...args: Args) => Promise<string>,
    ): void {
      setHandler(update, (...args: Args) => act(() => step(...args)), {
        description,
        validator(...args: Args) {
          const reason = whyTooMany(args, step.length) ?? whyRefused(...args);
          if (reason !== null) throw new Error(reason);
        },
      });
    },

    /** Describes the run in the Temporal UI, by the rows as just read. Only attributes that changed cost an event. */
    show(details: string, attributes: SearchAttributeValues): void {
      const asOf = `As of ${toSecond(new Date().toISOString())}.`;
      setCurrentDetails([details, about ?? [], asOf].flat().join('\n\n'));
      const changed = Object.entries(attributes).filter(
        ([name, value]) => shown[name as keyof SearchAttributeValues] !== value,
      );
      shown = attributes;
      const pairs = toAttributePairs(Object.fromEntries(changed));
      if (pairs.length > 0) upsertSearchAttributes(pairs);
    },

    /** Waits until the run is woken, at most for so long. */
    async wait(maxMs: number, summary: string): Promise<void> {
      await condition(() => isWoken, maxMs, { summary });
    },

    repeat({ pass, onCancel, continueAsNew }: Passes): Promise<string> {
      // A refusal means that nothing is left to stop.
      CancellationScope.current().cancelRequested.catch(() => act(onCancel).catch(() => {}));
      return CancellationScope.nonCancellable(async () => {
        for (;;) {
          isWoken = false;
          const result = await pass();
          if (result === null && !workflowInfo().continueAsNewSuggested) continue;
          await condition(isQuiet);
          if (result === null) await continueAsNew();
          // A signal during the pass may mean that there is work again.
          else if (!isWoken) return result;
        }
      });
    },
  };
}

/** The reason alone, which the Temporal UI then shows beside the update. */
const toRefusal = (error: unknown): unknown => (error instanceof ActivityFailure && error.cause) || error;

function requireInput(input: unknown, forms: Partial<Record<string, keyof typeof FORMS>>): void {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const wrong = Object.entries(forms).filter(([name, form]) => form && !FORMS[form].isValid(fields[name]));
  if (wrong.length === 0) return;
  const expected = wrong.map(([name, form]) => `${name} must be ${form && FORMS[form].text}`).join(', ');
  throw ApplicationFailure.nonRetryable(`The input of the run is not valid: ${expected}`, 'InvalidInput');
}

/** The Temporal UI may send null for an argument that was left empty. */
function whyTooMany(args: unknown[], max: number): string | null {
  if (args.slice(max).every((each) => each === null || each === undefined)) return null;
  return max === 0 ? 'This update takes no argument' : 'This update takes one argument';
}
