import { InterestIndex } from './narrowing/interest-index.ts';
import type { PushFilter } from './narrowing/push-filter.ts';
import type { Packet } from './packet.ts';
import { bytesOf } from './packet-bytes.ts';
import type { PacketSource } from './packet-source.ts';
import type { PushConnection } from './push-connection.ts';

/** A connection of a narrowed stream. */
type Narrowed = PushConnection & { readonly filter: PushFilter };

/** The connections of narrowed streams that get commits as they come: a commit costs only those that it concerns. */
export class NarrowedConnections {
  readonly #index = new InterestIndex<Narrowed>();
  readonly #connections = new Set<PushConnection>();

  /** How many there are. */
  get size(): number {
    return this.#connections.size;
  }

  add(connection: PushConnection): void {
    this.#connections.add(connection);
    connection.slot = 0;
    this.#index.add(connection as Narrowed);
  }

  /** Takes one out; nothing where it is not in. */
  remove(connection: PushConnection): void {
    if (!this.#connections.delete(connection)) return;
    connection.slot = -1;
    this.#index.remove(connection as Narrowed);
  }

  /** Those that are in now. */
  connections(): PushConnection[] {
    return [...this.#connections];
  }

  /** Whom a packet concerns, and the bytes of what it has for each. */
  *concerned(packet: Packet): Generator<{ readonly connection: PushConnection; readonly bytes: () => Buffer }> {
    if (this.size === 0) return;
    // As they are now: while some are written to others come and go.
    const audiences = this.#index.concerned(packet).map(({ readers, chosen }) => ({ readers: [...readers], chosen }));
    for (const { readers, chosen } of audiences) {
      for (const connection of readers) yield { connection, bytes: () => bytesOf(packet, connection.wire, chosen) };
    }
  }

  /** Learns where entities are, when somebody has come who asks for places. */
  async learnPositions(source: PacketSource): Promise<void> {
    if (this.#index.wantsPositions) await this.#index.learnPositions(source);
  }
}
