/** Lets one waiter look again when something has changed. */
export interface WakeUp {
  wake(): void;
  /** Resolves when the condition holds, or the signal has ended the wait. One waiter at a time. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void>;
}

/** Makes a {@link WakeUp}. */
export function createWakeUp(): WakeUp {
  let wake = () => {};
  return {
    wake: () => wake(),
    until: async (condition, signal) => {
      const look = () => wake();
      signal.addEventListener('abort', look);
      while (!condition() && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      signal.removeEventListener('abort', look);
    },
  };
}
