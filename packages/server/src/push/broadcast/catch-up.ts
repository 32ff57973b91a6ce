import { setImmediate } from 'node:timers/promises';
import { formatCursor, formatSseEvent, isStreamError, pushEvents, ReplayFilter } from '@ldes-live/rdf-stream';
import type { PushSettings } from '../../options.ts';
import { membersAfter } from '../packets/members-after.ts';
import type { Packet } from '../packets/packet.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import type { PushTally } from '../push-tally.ts';
import { bytesOf } from '../wire/packet-bytes.ts';
import type { PushConnection } from './push-connection.ts';

/** What is sent at once to a connection that takes it, bytes: what most lack who come back after a cut. */
const AT_ONCE_BYTES = 256 * 1024;

/** What bringing connections up to the head works with. */
export interface CatchUpParts {
  readonly source: PacketSource;
  readonly settings: PushSettings;
  readonly tally: PushTally;
  /** Milliseconds from any beginning, never going back. */
  readonly clock: () => number;
  /** The event that says that what follows a position is no longer held, and where to read on. */
  readonly gapEvent: (after: number) => string;
}

/**
 * Brings connections up to the head at their readers' pace. Nothing waits for them in memory but what their lines have not
 * taken of one write: the rest is where all can read it.
 */
export class CatchUp {
  readonly #parts: CatchUpParts;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /**
   * Gives a connection what it lacks.
   *
   * @param isState - begin with the newest state of what changed after its position
   * @returns `undefined` where that could be done at once; else resolves when it is at the head, or closed
   */
  run(connection: PushConnection, isState: boolean): Promise<void> | undefined {
    return !isState && this.#atOnce(connection) ? undefined : this.#slowly(connection, isState);
  }

  #atOnce(connection: PushConnection): boolean {
    const { source } = this.#parts;
    if (connection.position >= source.head.sequence) return !connection.isFull;
    if ((source.bytesAfter(connection.position) ?? AT_ONCE_BYTES + 1) > AT_ONCE_BYTES) return false;
    const filter = connection.filter && new ReplayFilter(connection.filter);
    while (!connection.isFull && connection.isOpen && connection.position < source.head.sequence) {
      const packets = source.read(connection.position);
      // What is remembered is there at once; if it was forgotten since, whoever reads it in turn sees the error.
      if (packets instanceof Promise) {
        packets.catch(() => undefined);
        return false;
      }
      for (const packet of packets) {
        const bytes = this.#bytesOf(packet, connection, filter);
        if (bytes) {
          connection.line.write(bytes);
          this.#count(bytes);
        }
        connection.position = packet.last;
        if (connection.isFull) break;
      }
    }
    return connection.position >= source.head.sequence && !connection.isFull;
  }

  async #slowly(connection: PushConnection, isState: boolean): Promise<void> {
    const { source, clock, tally, gapEvent } = this.#parts;
    const newFilter = () => connection.filter && new ReplayFilter(connection.filter);
    let filter = newFilter();
    let conflate = isState;
    while (connection.isOpen) {
      await connection.drained(clock);
      if (!connection.isOpen || (!conflate && connection.position >= source.head.sequence)) return;
      try {
        if (conflate || this.#isFarBehind(connection)) {
          await this.#giveState(connection);
          // What moved meanwhile the one before has not seen.
          filter = newFilter();
        } else {
          for (const packet of await source.read(connection.position)) {
            if (!connection.isOpen) return;
            const bytes = this.#bytesOf(packet, connection, filter);
            if (bytes) {
              this.#count(bytes);
              await connection.writeSlowly(bytes, clock);
            }
            connection.position = packet.last;
          }
        }
      } catch (error) {
        if (!isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
        if (!connection.isOpen) return;
        tally.gaps += 1;
        connection.writeOwn(gapEvent(connection.position));
        connection.position = source.head.sequence;
        filter = newFilter();
      }
      conflate = false;
      // Many may come back at once: between the steps of one of them the others have their turn, and requests.
      await setImmediate();
    }
  }

  /** Whether a connection that has been live lacks more than may wait for it. */
  #isFarBehind({ wasLive, position }: PushConnection): boolean {
    if (!wasLive) return false;
    const bytes = this.#parts.source.bytesAfter(position);
    return bytes === undefined || bytes > this.#parts.settings.limitQueueBytes;
  }

  /** @see specs/push.md PUSH-60 */
  async #giveState(connection: PushConnection): Promise<void> {
    const { source, clock, tally } = this.#parts;
    const after = connection.position;
    const state = await source.state(after);
    if (!connection.isOpen) return;
    const { epoch } = source.head;
    const to = formatCursor({ epoch, sequence: state.to });
    const data = JSON.stringify({ from: formatCursor({ epoch, sequence: after }), to });
    connection.writeOwn(formatSseEvent({ event: pushEvents.conflated, data }));
    if (connection.wasLive) tally.conflations += 1;
    const filter = connection.filter && new ReplayFilter(connection.filter, { isWholeState: after === 0 });
    let hasId = false;
    const first = state.lasts?.findIndex((last) => last > after) ?? 0;
    for (let index = Math.max(0, first); index < state.length && connection.isOpen; index += 1) {
      const packet = await state.part(index);
      // A state that others share may begin before this reader's position.
      const bytes = packet.last > after ? this.#bytesOf(packet, connection, filter, after) : undefined;
      if (!bytes) continue;
      hasId = packet.id !== '';
      this.#count(bytes);
      await connection.writeSlowly(bytes, clock);
      await setImmediate();
    }
    // The last part may have had nothing for this reader; the cursor is for everyone.
    if (!hasId && connection.isOpen) connection.writeOwn(`id: ${to}\n\n`);
    connection.position = state.to;
  }

  #bytesOf(
    packet: Packet,
    { wire }: PushConnection,
    filter: ReplayFilter | undefined,
    after = packet.after,
  ): Buffer | undefined {
    const later = membersAfter(packet, after);
    if (!filter) return bytesOf(packet, wire, later);
    const fitting = filter.choose(packet.subjects);
    const chosen = later ? fitting.filter((member) => later.includes(member)) : fitting;
    return chosen.length === 0 ? undefined : bytesOf(packet, wire, chosen, chosen.length < packet.subjects.length);
  }

  #count(bytes: Buffer): void {
    this.#parts.tally.deliveries += 1;
    this.#parts.tally.bytes += bytes.length;
  }
}
