import type { Cursor } from '@ldes-live/rdf-stream';
import { CommitMemory, type CommitSource, type EncodedCommit } from '../push/encoded-commits.ts';
import { SharedSnapshots, type Snapshot } from '../push/snapshots.ts';
import type { WorkerStream } from './worker-messages.ts';

/** Where {@link RemotePackets} asks for what it does not remember. */
export interface PacketOwner {
  /** As {@link CommitSource.read}, of a stream. */
  read(stream: string, after: number): Promise<readonly EncodedCommit[]>;
  /** As {@link SharedSnapshots.after}, of a stream. */
  state(stream: string, after: number): Promise<Snapshot>;
  /** Resolves once what the owner had told when it was asked has come, or it is gone. */
  caughtUp(): Promise<void>;
}

/**
 * The packets of a log in another process: that process tells each commit, and is asked for what came before.
 *
 * @see specs/push.md PUSH-46, PUSH-47
 */
export class RemotePackets implements CommitSource {
  head: Cursor;
  heldFrom: number;
  readonly #owner: PacketOwner;
  readonly #stream: string;
  readonly snapshots: SharedSnapshots;
  readonly #memory: CommitMemory;
  readonly #listeners = new Set<(packet: EncodedCommit) => void>();

  /** @param limitBytes - how much text of packets to remember, bytes */
  constructor(owner: PacketOwner, { description, head, heldFrom }: WorkerStream, limitBytes: number) {
    this.#owner = owner;
    this.#stream = description.name;
    this.head = head;
    this.heldFrom = heldFrom;
    this.#memory = new CommitMemory(limitBytes);
    this.snapshots = new SharedSnapshots(this, (from) => owner.state(description.name, from));
  }

  get published(): Cursor {
    return this.head;
  }

  /** Takes the next commit, which the owner tells. */
  take(packet: EncodedCommit, heldFrom: number): void {
    this.head = { epoch: this.head.epoch, sequence: packet.last };
    this.heldFrom = heldFrom;
    this.#memory.append(packet);
    for (const listener of this.#listeners) listener(packet);
  }

  subscribe(listener: (packet: EncodedCommit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  read(after: number): readonly EncodedCommit[] | Promise<readonly EncodedCommit[]> {
    return this.#memory.after(after, (position) => this.#owner.read(this.#stream, position));
  }

  bytesAfter(position: number): number | undefined {
    return this.#memory.bytesAfter(position);
  }

  caughtUp(): Promise<void> {
    return this.#owner.caughtUp();
  }

  close(): void {
    this.#listeners.clear();
  }
}
