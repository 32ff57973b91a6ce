import { WIRES } from '../wire/wire.ts';
import type { PushConnection } from './push-connection.ts';

/** How much further on the next visit begins, as a part of all: near the golden section, so that beginnings spread evenly. */
const FURTHER = 0.618;

/**
 * The connections of the whole stream that get commits as they come. They are visited in slices, between which some may
 * come and go: a place that has become empty stays until the next visit begins, so that nobody is passed over.
 */
export class LiveConnections {
  #slots: (PushConnection | undefined)[] = [];
  #start = 0;
  readonly #byWire = WIRES.map(() => 0);
  /** How many there are. */
  size = 0;
  /** How many of them take shared compression. */
  grouped = 0;

  add(connection: PushConnection): void {
    connection.slot = this.#slots.length;
    this.#slots.push(connection);
    this.#count(connection, 1);
  }

  /** Takes one out, also out of its group; nothing where it is not in. */
  remove(connection: PushConnection): void {
    if (this.#slots[connection.slot] !== connection) return;
    this.#slots[connection.slot] = undefined;
    connection.slot = -1;
    this.#count(connection, -1);
    this.part(connection);
  }

  /** Puts one into the group that takes shared compression. */
  join(connection: PushConnection): void {
    if (connection.isGrouped) return;
    connection.isGrouped = true;
    this.grouped += 1;
  }

  /** Takes one out of the group. */
  part(connection: PushConnection): void {
    if (!connection.isGrouped) return;
    connection.isGrouped = false;
    this.grouped -= 1;
  }

  /** Those that are in. */
  connections(): PushConnection[] {
    return this.#slots.filter((connection) => connection !== undefined);
  }

  /** How many gzip connections are not in the group. */
  get ungrouped(): number {
    let gzip = 0;
    for (const { encoding, index } of WIRES) if (encoding === 'gzip') gzip += this.#byWire[index] as number;
    return gzip - this.grouped;
  }

  /**
   * Visits those that are in now, in slices of so many, and beginning with another one each time, so that none is always
   * the last.
   *
   * @returns at each end of a slice
   */
  *visit(act: (connection: PushConnection) => void, slice: number): Generator<void> {
    if (this.size < this.#slots.length) this.#close();
    const slots = this.#slots;
    const count = slots.length;
    this.#start = count === 0 ? 0 : (this.#start + Math.floor(count * FURTHER)) % count;
    for (let step = 0; step < count; step += 1) {
      const place = this.#start + step;
      const connection = slots[place < count ? place : place - count];
      if (connection) act(connection);
      if (step % slice === slice - 1) yield;
    }
  }

  #count(connection: PushConnection, by: 1 | -1): void {
    this.size += by;
    this.#byWire[connection.wire.index] = (this.#byWire[connection.wire.index] as number) + by;
  }

  #close(): void {
    this.#slots = this.#slots.filter((connection) => connection !== undefined);
    for (const [slot, connection] of this.#slots.entries()) (connection as PushConnection).slot = slot;
  }
}
