import type { Filter } from '@ldes-live/rdf-stream';
import { InterestIndex } from '../narrowing/interest-index.ts';
import type { Packet } from '../packets/packet.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import type { PushConnection } from './push-connection.ts';

/** A connection of a narrowed stream. */
type Narrowed = PushConnection & { readonly filter: Filter };

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

  /**
   * Whom a packet concerns, and which of its members: as they are now, since others come and go while some are written
   * to. It is to be called once with each packet, in order.
   */
  concerned(packet: Packet): { readonly connections: readonly PushConnection[]; readonly chosen: readonly number[] }[] {
    if (this.size === 0) return [];
    return this.#index.concerned(packet).map(({ readers, chosen }) => ({ connections: [...readers], chosen }));
  }

  /** Learns where entities are, when somebody has come who asks for places. */
  async learnPositions(source: PacketSource): Promise<void> {
    if (this.#index.wantsPositions) await this.#index.learnPositions(source);
  }
}
