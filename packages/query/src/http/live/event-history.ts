/** The last events of a live query, for readers who come back: the newest that have room. */
export class EventHistory {
  readonly #limitBytes: number;
  #events: { readonly sequence: number; readonly bytes: Buffer }[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(sequence: number, bytes: Buffer): void {
    this.#events.push({ sequence, bytes });
    this.#bytes += bytes.length;
    while (this.#bytes > this.#limitBytes) this.#bytes -= this.#events.shift()?.bytes.length ?? this.#bytes;
  }

  clear(): void {
    this.#events = [];
    this.#bytes = 0;
  }

  /** The events after one; `undefined` when one of them is not there any more. */
  after(sequence: number, present: number): readonly Buffer[] | undefined {
    if (sequence === present) return [];
    const first = this.#events[0]?.sequence;
    if (first === undefined || sequence < first - 1 || sequence > present) return undefined;
    return this.#events.filter((event) => event.sequence > sequence).map(({ bytes }) => bytes);
  }
}
