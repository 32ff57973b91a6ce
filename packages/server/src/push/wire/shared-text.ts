import { onWire, type Wire } from './wire.ts';

/** Short text that many connections get, made once for each kind of connection that there is. */
export class SharedText {
  readonly #bytes: Buffer;
  readonly #byWire: Buffer[] = [];

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
  }

  /** The text as it goes over a kind of connection. */
  on(wire: Wire): Buffer {
    this.#byWire[wire.index] ??= onWire(this.#bytes, wire, false);
    return this.#byWire[wire.index] as Buffer;
  }
}
