import { setImmediate } from 'node:timers/promises';
import type { Cursor } from '@ldes-live/rdf-stream';
import type { PushSettings } from '../../options.ts';
import type { Packet } from '../packets/packet.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import type { PushTally } from '../push-tally.ts';
import { bytesOf } from '../wire/packet-bytes.ts';
import { SharedGroup } from '../wire/shared-group.ts';
import { chunkedOrNot } from '../wire/wire.ts';
import { beatSinceMs, Heartbeats } from './heartbeats.ts';
import { LiveConnections } from './live-connections.ts';
import { NarrowedConnections } from './narrowed-connections.ts';
import { PacketBatch } from './packet-batch.ts';
import { type PendingPacket, PendingPackets } from './pending-packets.ts';
import type { PushConnection } from './push-connection.ts';

/** Connections that are written to before others have their turn on the event loop. */
export const SLICE_CONNECTIONS = 500;

/** Text of commits that goes out in one write when they come faster than they can be sent one by one, bytes. */
const BATCH_BYTES = 256 * 1024;

/** What is written to a connection at once, bytes; more goes out in strides, as it is taken, so that a slow reader is seen to read. */
const WHOLE_BYTES = 320 * 1024;

/** What a pump works with. */
export interface PumpParts {
  readonly tally: PushTally;
  readonly settings: PushSettings;
  /** Milliseconds from any beginning, never going back. */
  readonly clock: () => number;
  /** Takes over a connection whose reader has not taken what it was given; it has all up to the position. */
  readonly fallBehind: (connection: PushConnection, position: number) => void;
  /** Takes over a connection that is to be given many bytes, after which it has all up to the position. */
  readonly writeSlowly: (connection: PushConnection, bytes: Buffer, position: number) => void;
  /** Ends a connection. */
  readonly end: (connection: PushConnection) => void;
  /** Told of faults of this side. */
  readonly onError: (error: unknown) => void;
  /** The end of the stream, as of now. */
  readonly head: () => Cursor;
}

/**
 * Hands each commit to the live connections of a stream: one write of shared bytes each. It does one thing at a time,
 * so that everyone gets everything in order.
 */
export class Pump {
  readonly #parts: PumpParts;
  readonly #live = new LiveConnections();
  readonly #narrowed = new NarrowedConnections();
  readonly #group = new SharedGroup();
  readonly #pending = new PendingPackets();
  readonly #heartbeats: Heartbeats;
  readonly #ending: PushConnection[] = [];
  #sent = 0;
  #beatMs: number | undefined;
  #isOverrun = false;
  #isRunning = false;
  #isClosed = false;

  constructor(parts: PumpParts) {
    this.#parts = parts;
    this.#heartbeats = new Heartbeats({
      live: this.#live,
      narrowed: this.#narrowed,
      group: this.#group,
      visit: (act) => this.#visit(act),
      isReady: (connection, nowMs) => this.#isReady(connection, nowMs),
      write: (connection, bytes, nowMs) => this.#writeComment(connection, bytes, nowMs),
      lookedUpTo: () => this.#lookedUpTo(),
      isClosed: () => this.#isClosed,
      slice: SLICE_CONNECTIONS,
    });
  }

  /** How many connections are live. */
  get size(): number {
    return this.#live.size + this.#narrowed.size;
  }

  /** Takes on a connection that has everything up to its position, which is the head. */
  add(connection: PushConnection): void {
    if (connection.filter) this.#narrowed.add(connection);
    else this.#live.add(connection);
  }

  /** Forgets a connection, if it is live. */
  remove(connection: PushConnection): void {
    if (connection.filter) this.#narrowed.remove(connection);
    else this.#live.remove(connection);
  }

  /** Ends a connection after a whole event: at once, or after commits that are on their way. */
  endLater(connection: PushConnection): void {
    this.#ending.push(connection);
    this.#wake();
  }

  /** Takes the next commit. */
  push(packet: Packet): void {
    this.#pending.add(packet, this.#parts.clock());
    if (this.#pending.bytes > this.#parts.settings.limitFrameBytes && this.#pending.size > 1) {
      // More than is remembered: nobody can be given that much one after the other.
      this.#pending.clear();
      this.#isOverrun = true;
    }
    this.#wake();
  }

  /**
   * Sends a comment where nothing has been sent for long, and ends those that are old.
   *
   * @param tickMs - when it is called again at the latest, milliseconds
   */
  beat(tickMs: number): void {
    this.#beatMs = tickMs;
    this.#wake();
  }

  /** Learns where entities are, as far as somebody asks for places. */
  learnPositions(source: PacketSource): Promise<void> {
    return this.#narrowed.learnPositions(source);
  }

  close(): void {
    this.#isClosed = true;
    this.#pending.clear();
    this.#group.close();
  }

  #wake(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    this.#run().catch((error: unknown) => {
      this.#isRunning = false;
      this.fail(error);
    });
  }

  /** Readers resume after what they have; left open, some would lack what others got. */
  fail(error: unknown): void {
    this.#pending.clear();
    for (const connection of this.#connections()) connection.cut('error');
    this.#parts.onError(error);
  }

  async #run(): Promise<void> {
    let hasDelivered = false;
    while (!this.#isClosed) {
      const isOtherDue = this.#ending.length > 0 || this.#beatMs !== undefined;
      if (this.#isOverrun) this.#giveUp();
      // In turns: commits may come as fast as they are sent, and then there would never be time for the rest.
      else if (this.#pending.size > 0 && !(hasDelivered && isOtherDue)) {
        await this.#deliver(this.#pending.take(BATCH_BYTES));
        hasDelivered = true;
        continue;
      } else if (this.#ending.length > 0) for (const connection of this.#ending.splice(0)) this.#parts.end(connection);
      else if (this.#beatMs !== undefined) await this.#beat(this.#beatMs);
      else break;
      hasDelivered = false;
    }
    this.#isRunning = false;
  }

  async #deliver(pending: readonly PendingPacket[]): Promise<void> {
    const { tally, clock } = this.#parts;
    const batch = new PacketBatch(pending.map(({ packet }) => packet));
    const live = this.#live;
    const size = { commits: batch.packets.length, members: live.grouped, beside: live.ungrouped };
    const isShared = size.members + size.beside > 0;
    const group = isShared ? await this.#group.commit(batch.events, size).catch(() => undefined) : undefined;
    if (this.#isClosed) return;
    const blockOn = group && chunkedOrNot(group.block);
    this.#heartbeats.wrote(clock(), group !== undefined);
    await this.#visit((connection) => {
      const { position, wire } = connection;
      if (position >= batch.last) return;
      if (!this.#canTake(connection, batch.after)) return;
      let bytes: Buffer | undefined;
      let events = batch.packets.length;
      if (position > batch.after) {
        bytes = batch.bytesAfter(position, wire);
        events = batch.packetsAfter(position).length;
      } else {
        if (group?.joins && wire.encoding === 'gzip') live.join(connection);
        // A block of another kind in between, and later ones of the group could not be read.
        else if (!blockOn) live.part(connection);
        bytes = connection.isGrouped ? blockOn?.(wire) : batch.bytes(wire);
      }
      // When that was is not noted for each: of all that is done here, what is touched only for that costs most.
      this.#write(connection, bytes as Buffer, batch.last);
      tally.deliveries += events;
    });
    for (const packet of batch.packets) await this.#deliverNarrowed(packet);
    this.#sent = batch.last;
    tally.commits += batch.packets.length;
    const doneMs = clock();
    for (const { sinceMs } of pending) tally.fannedOut((doneMs - sinceMs) / 1000);
  }

  async #beat(tickMs: number): Promise<void> {
    this.#beatMs = undefined;
    const nowMs = this.#parts.clock();
    await this.#heartbeats.beat(nowMs, beatSinceMs(nowMs, this.#parts.settings.heartbeatMs, tickMs));
  }

  async #deliverNarrowed(packet: Packet): Promise<void> {
    const { tally, clock } = this.#parts;
    let written = 0;
    for (const { connections, chosen } of this.#narrowed.concerned(packet)) {
      for (const connection of connections) {
        if (connection.slot < 0 || connection.position >= packet.last || !this.#canTake(connection, packet.after))
          continue;
        connection.wroteAtMs = clock();
        this.#write(connection, bytesOf(packet, connection.wire, chosen), packet.last);
        tally.deliveries += 1;
        written += 1;
        if (written % SLICE_CONNECTIONS === 0) await setImmediate();
      }
    }
  }

  async #visit(act: (connection: PushConnection) => void): Promise<void> {
    for (const _ of this.#live.visit(act, SLICE_CONNECTIONS)) {
      await setImmediate();
      if (this.#isClosed) return;
    }
  }

  #isReady(connection: PushConnection, nowMs: number): boolean {
    if (nowMs >= connection.endsAtMs) {
      this.#ending.push(connection);
      return false;
    }
    return this.#canTake(connection, this.#sent);
  }

  /** What is pending has not been looked at for narrowed streams; where all are given up next, it is not told. */
  #lookedUpTo(): Cursor | undefined {
    if (this.#isOverrun) return undefined;
    const head = this.#parts.head();
    return this.#pending.size > 0 ? { ...head, sequence: this.#sent } : head;
  }

  /** Whether a connection has taken all that it was given; else it is behind from now on. */
  #canTake(connection: PushConnection, position: number): boolean {
    if (connection.isOpen && !connection.isFull) return true;
    this.remove(connection);
    // One whose reader has hung up too: it has to be let go of.
    if (connection.closing === undefined) this.#parts.fallBehind(connection, Math.max(position, connection.position));
    return false;
  }

  /** @param position - up to which the connection has everything then */
  #write(connection: PushConnection, bytes: Buffer, position: number): void {
    this.#parts.tally.bytes += bytes.length;
    if (bytes.length <= WHOLE_BYTES) {
      connection.line.write(bytes);
      return;
    }
    this.remove(connection);
    this.#parts.writeSlowly(connection, bytes, position);
  }

  #writeComment(connection: PushConnection, bytes: Buffer, nowMs: number): void {
    connection.line.write(bytes);
    connection.wroteAtMs = nowMs;
    this.#parts.tally.bytes += bytes.length;
    this.#parts.tally.heartbeats += 1;
  }

  /** Everyone is behind, and is given the newest state when there is time. */
  #giveUp(): void {
    this.#isOverrun = false;
    for (const connection of this.#connections()) {
      this.remove(connection);
      this.#parts.fallBehind(connection, Math.max(this.#sent, connection.position));
    }
  }

  #connections(): PushConnection[] {
    return [...this.#live.connections(), ...this.#narrowed.connections()];
  }
}
