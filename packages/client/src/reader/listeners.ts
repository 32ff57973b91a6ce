/** What {@link Listeners} needs to know of its events: the arguments that listeners of each type are called with. */
export type EventArguments = Readonly<Record<string, readonly unknown[]>>;

interface Registration<Arguments extends readonly unknown[]> {
  readonly call: (...args: Arguments) => void;
}

/** Who listens to the events of one object, typed by event. */
export class Listeners<Events extends EventArguments> {
  readonly #registered: { [Type in keyof Events]?: Set<Registration<Events[Type]>> } = {};
  readonly #report: (error: unknown) => void;

  /**
   * @param report - takes what a listener throws
   * @defaultValue {@link reportOutOfBand}
   */
  constructor(report: (error: unknown) => void = reportOutOfBand) {
    this.#report = report;
  }

  /**
   * Calls a listener at every event of a type from now on, in the order of registration. A function that is
   * registered twice is called twice.
   *
   * @returns ends this registration; calling it again does nothing
   * @see specs/mal.md MAL-73
   */
  on<Type extends keyof Events>(type: Type, listener: (...args: Events[Type]) => void): () => void {
    const registration: Registration<Events[Type]> = { call: listener };
    const registered = this.#registered[type] ?? new Set<Registration<Events[Type]>>();
    this.#registered[type] = registered.add(registration);
    return () => {
      registered.delete(registration);
    };
  }

  /** Calls the listeners of a type. One that throws stops neither the caller nor the other listeners. */
  emit<Type extends keyof Events>(type: Type, ...args: Events[Type]): void {
    const registered = this.#registered[type];
    if (!registered?.size) return;
    // A copy: a listener that is registered meanwhile hears the next event, not this one.
    for (const registration of [...registered]) {
      if (!registered.has(registration)) continue;
      try {
        registration.call(...args);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

/** Makes an error known as one that nobody caught, after the present call: as browsers do for event listeners. */
export function reportOutOfBand(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else {
    queueMicrotask(() => {
      throw error;
    });
  }
}
