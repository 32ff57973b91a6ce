import { setImmediate } from 'node:timers/promises';
import { formatSseComment } from '@ldes-live/codec';
import { LiveConnections } from './live-connections.ts';
import { NarrowedConnections } from './narrowed-connections.ts';
import type { Packet } from './packet.ts';
import { PacketBatch } from './packet-batch.ts';
import { packetBytes } from './packet-memory.ts';
import type { PacketSource } from './packet-source.ts';
import type { PushConnection } from './push-connection.ts';
import type { PushSettings } from './push-options.ts';
import type { PushTally } from './push-tally.ts';
import { SharedGroup } from './shared-group.ts';
import { SharedText } from './shared-text.ts';
import { framed, WIRES } from './wire.ts';

/** Connections that are written to before others have their turn on the event loop. */
export const SLICE_CONNECTIONS = 500;

/** Text of commits that goes out in one write when they come faster than they can be sent one by one, bytes. */
const BATCH_BYTES = 256 * 1024;

const COMMENT = new SharedText(formatSseComment(''));

/** What a pump works with. */
export interface PumpParts {
  readonly tally: PushTally;
  readonly settings: PushSettings;
  /** Milliseconds from any beginning, never going back. */
  readonly clock: () => number;
  /** Takes over a connection whose reader has not taken what it was given; it has all up to the position. */
  readonly fallBehind: (connection: PushConnection, position: number) => void;
  /** Ends a connection. */
  readonly end: (connection: PushConnection) => void;
  /** The head, as an `id:`. */
  readonly cursorId: () => string;
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
  readonly #pending: Packet[] = [];
  readonly #ending: PushConnection[] = [];
  #pendingBytes = 0;
  #sent = 0;
  #groupWroteAtMs = 0;
  #beatMs: number | undefined;
  #isOverrun = false;
  #isRunning = false;
  #isClosed = false;

  constructor(parts: PumpParts) {
    this.#parts = parts;
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

  /** Ends a connection once it has been given the commits that there are. */
  endLater(connection: PushConnection): void {
    this.#ending.push(connection);
    this.#wake();
  }

  /** Takes the next commit. */
  push(packet: Packet): void {
    this.#pending.push(packet);
    this.#pendingBytes += packetBytes(packet);
    if (this.#pendingBytes > this.#parts.settings.limitFrameBytes && this.#pending.length > 1) {
      // More than is remembered: nobody can be given that much one after the other.
      this.#pending.length = 0;
      this.#pendingBytes = 0;
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
    this.#pending.length = 0;
    this.#group.close();
  }

  #wake(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#isOverrun) this.#giveUp();
      else if (this.#pending.length > 0) await this.#deliver(this.#nextBatch());
      else if (this.#ending.length > 0) for (const connection of this.#ending.splice(0)) this.#parts.end(connection);
      else if (this.#beatMs !== undefined) await this.#beat();
      else break;
    }
    this.#isRunning = false;
  }

  #nextBatch(): PacketBatch {
    let count = 0;
    let bytes = 0;
    for (const packet of this.#pending) {
      bytes += packetBytes(packet);
      if (count > 0 && bytes > BATCH_BYTES) break;
      count += 1;
    }
    const packets = this.#pending.splice(0, count);
    for (const packet of packets) this.#pendingBytes -= packetBytes(packet);
    return new PacketBatch(packets);
  }

  async #deliver(batch: PacketBatch): Promise<void> {
    const { tally, clock } = this.#parts;
    const startedMs = clock();
    const live = this.#live;
    const group = await this.#group.commit(batch.events, live.grouped, live.ungrouped).catch(() => undefined);
    if (this.#isClosed) return;
    const blocks = group && WIRES.map(({ chunked }) => framed(group.block, chunked));
    const nowMs = clock();
    if (group) this.#groupWroteAtMs = nowMs;
    await this.#visit((connection) => {
      const { position, wire } = connection;
      if (position >= batch.last) return;
      if (!this.#canTake(connection, batch.after)) return;
      let bytes: Buffer | undefined;
      if (position > batch.after) bytes = batch.bytesAfter(position, wire);
      else {
        if (group?.joins && wire.encoding === 'gzip') live.join(connection);
        // A block of another kind in between, and later ones of the group could not be read.
        else if (!blocks) live.part(connection);
        bytes = connection.isGrouped ? blocks?.[wire.index] : batch.bytes(wire);
      }
      this.#write(connection, bytes as Buffer, nowMs);
      tally.deliveries += batch.packets.length;
    });
    for (const packet of batch.packets) await this.#deliverNarrowed(packet);
    this.#sent = batch.last;
    tally.commits += batch.packets.length;
    tally.fannedOut((clock() - startedMs) / 1000);
  }

  async #deliverNarrowed(packet: Packet): Promise<void> {
    const { tally, clock } = this.#parts;
    let written = 0;
    for (const { connection, bytes } of this.#narrowed.concerned(packet)) {
      if (connection.slot < 0 || connection.position >= packet.last || !this.#canTake(connection, packet.after))
        continue;
      this.#write(connection, bytes(), clock());
      tally.deliveries += 1;
      written += 1;
      if (written % SLICE_CONNECTIONS === 0) await setImmediate();
    }
  }

  async #beat(): Promise<void> {
    const { settings, clock } = this.#parts;
    const nowMs = clock();
    // Before this the next beat will do.
    const sinceMs = nowMs - (settings.heartbeatMs - (this.#beatMs as number));
    this.#beatMs = undefined;
    await this.#visit((connection) => {
      if (!this.#isDue(connection, nowMs, sinceMs) || connection.isGrouped) return;
      this.#write(connection, COMMENT.on(connection.wire), nowMs);
      this.#parts.tally.heartbeats += 1;
    });
    await this.#beatNarrowed(nowMs, sinceMs);
    if (this.#live.grouped === 0 || this.#groupWroteAtMs > sinceMs) return;
    // What one member of the group gets all must get, as later blocks refer to it.
    const block = await this.#group.comment(formatSseComment('')).catch(() => undefined);
    if (this.#isClosed) return;
    if (!block) {
      // Later blocks would refer to it.
      for (const connection of this.#live.connections()) this.#live.part(connection);
      return;
    }
    const blocks = WIRES.map(({ chunked }) => framed(block, chunked));
    this.#groupWroteAtMs = nowMs;
    await this.#visit((connection) => {
      if (!connection.isGrouped) return;
      this.#write(connection, blocks[connection.wire.index] as Buffer, nowMs);
      this.#parts.tally.heartbeats += 1;
    });
  }

  /** Narrowed streams get the cursor, so that who hears nothing for long can still resume. */
  async #beatNarrowed(nowMs: number, sinceMs: number): Promise<void> {
    if (this.#narrowed.size === 0) return;
    // What is pending has not been looked at for them.
    if (this.#pending.length > 0 || this.#isOverrun) return;
    const text = new SharedText(`id: ${this.#parts.cursorId()}\n\n`);
    let written = 0;
    for (const connection of this.#narrowed.connections()) {
      if (connection.slot < 0 || !this.#isDue(connection, nowMs, sinceMs)) continue;
      this.#write(connection, text.on(connection.wire), nowMs);
      this.#parts.tally.heartbeats += 1;
      written += 1;
      if (written % SLICE_CONNECTIONS === 0) await setImmediate();
    }
  }

  async #visit(act: (connection: PushConnection) => void): Promise<void> {
    for (const _ of this.#live.visit(act, SLICE_CONNECTIONS)) {
      await setImmediate();
      if (this.#isClosed) return;
    }
  }

  #isDue(connection: PushConnection, nowMs: number, sinceMs: number): boolean {
    if (nowMs >= connection.endsAtMs) {
      this.#ending.push(connection);
      return false;
    }
    return this.#canTake(connection, this.#sent) && connection.wroteAtMs <= sinceMs;
  }

  /** Whether a connection has taken all that it was given; else it is behind from now on. */
  #canTake(connection: PushConnection, position: number): boolean {
    if (connection.isOpen && !connection.isFull) return true;
    this.remove(connection);
    if (connection.isOpen) this.#parts.fallBehind(connection, Math.max(position, connection.position));
    return false;
  }

  #write(connection: PushConnection, bytes: Buffer, nowMs: number): void {
    connection.line.write(bytes);
    connection.wroteAtMs = nowMs;
    this.#parts.tally.bytes += bytes.length;
  }

  /** Everyone is behind, and is given the newest state when there is time. */
  #giveUp(): void {
    this.#isOverrun = false;
    for (const connection of [...this.#live.connections(), ...this.#narrowed.connections()]) {
      this.remove(connection);
      this.#parts.fallBehind(connection, Math.max(this.#sent, connection.position));
    }
  }
}
