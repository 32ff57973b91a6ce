/** When a user was told that a job of his is complete, by the clock that processes share. */
export interface JobNotice {
  readonly id: string;
  readonly micros: number;
}

/** Keeps what a user was told, and tells when he was told of a job. */
export class NoticeLedger {
  readonly #clock: () => number;
  readonly #made = new Set<string>();
  /** How often he was told of jobs that are not his, as far as he knows. */
  readonly #others = new Map<string, number>();
  readonly #notices: JobNotice[] = [];
  #wake = () => {};

  /** @param clock - microseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Jobs that he made, in their order. */
  get made(): readonly string[] {
    return [...this.#made];
  }

  /** What he was told of his jobs, each time that he was. */
  get notices(): readonly JobNotice[] {
    return this.#notices;
  }

  /** He is told of a job, which may not be his, or not be known to be. */
  told(id: string): void {
    if (this.#made.has(id)) this.#note(id);
    else this.#others.set(id, (this.#others.get(id) ?? 0) + 1);
  }

  /** He knows of a job of his now. */
  knows(id: string): void {
    this.#made.add(id);
    for (let count = this.#others.get(id) ?? 0; count > 0; count -= 1) this.#note(id);
    this.#others.delete(id);
  }

  /** Resolves when he has been told of a job, or when the time is over. */
  async untilTold(id: string, timeoutMs: number): Promise<void> {
    if (this.#isTold(id)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        if (!this.#isTold(id)) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #note(id: string): void {
    this.#notices.push({ id, micros: this.#clock() });
    this.#wake();
  }

  #isTold(id: string): boolean {
    return this.#notices.some((notice) => notice.id === id);
  }
}
