/**
 * The frame of every run. A pass reads the rows, and then acts, or waits until a signal, an update or a timer wakes
 * the run. A run ends, or continues as new, when a pass says so and no update is under way.
 */
import type { UpdateDefinition } from '@temporalio/common';
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { type SearchAttributeValues, toAttributePairs } from '../src/temporal/workflow-ids.ts';

export interface UpdateOptions<Args extends unknown[]> {
  /** Shown in the Temporal UI. */
  description: string;
  /** The reason for which the update makes no sense at present; null: it does. */
  whyRefused?(...args: Args): string | null;
}

export interface Passes {
  /** Returns the result of the run, or null when another pass follows. */
  pass(): Promise<string | null>;
  /** Stops the work in order, after which a pass ends the run that an operator has cancelled. */
  onCancel(): Promise<void>;
  continueAsNew(): Promise<never>;
}

export type Run = ReturnType<typeof openRun>;

export function openRun() {
  let isWoken = false;
  let stepsOfOperators = 0;
  let shown: SearchAttributeValues = {};
  const isQuiet = () => stepsOfOperators === 0 && allHandlersFinished();

  /** Carries a step out even when the run is cancelled meanwhile, and reads the rows again. */
  async function act(step: () => Promise<void>): Promise<void> {
    stepsOfOperators++;
    try {
      await CancellationScope.nonCancellable(step);
    } catch (error) {
      throw toRefusal(error);
    } finally {
      stepsOfOperators--;
      isWoken = true;
    }
  }

  return {
    onSignal<Args extends unknown[]>(
      signal: SignalDefinition<Args>,
      handle: (...args: Args) => void = () => {},
    ): void {
      setHandler(signal, (...args: Args) => {
        handle(...args);
        isWoken = true;
      });
    },

    onUpdate<Args extends unknown[]>(
      update: UpdateDefinition<void, Args>,
      { description, whyRefused = () => null }: UpdateOptions<Args>,
      step: (...args: Args) => Promise<void>,
    ): void {
      setHandler(update, (...args: Args) => act(() => step(...args)), {
        description,
        validator(...args: Args) {
          const reason = whyRefused(...args);
          if (reason !== null) throw new Error(reason);
        },
      });
    },

    /** Describes the run in the Temporal UI. Only attributes that changed cost an event. */
    show(details: string, attributes: SearchAttributeValues): void {
      setCurrentDetails(details);
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

/** The reason alone, which the Temporal UI then shows as that of the update. */
const toRefusal = (error: unknown): unknown => (error instanceof ActivityFailure && error.cause) || error;
