/** A wait that another caller can end early. */
export interface WakeUp {
  /** Ends the wait, or makes the next one end at once. */
  wakeUp(): void;
  wait(timeoutMs: number): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let isAwake = false;
  let endWait: (() => void) | null = null;
  return {
    wakeUp() {
      isAwake = true;
      endWait?.();
    },
    async wait(timeoutMs) {
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        endWait = null;
      }
      isAwake = false;
    },
  };
}
