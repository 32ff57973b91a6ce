import type { Cursor } from '@ldes-live/rdf-stream';
import type { Packet } from './packet.ts';

/** Where the push of one stream takes its packets from: the log in this process, or in another. */
export interface PacketSource {
  /** The end of the stream, as of now. */
  readonly head: Cursor;

  /** The end of the log where it is known and commits may be on their way here: who has them waits for none. */
  readonly published?: Cursor | undefined;

  /** Every member from this sequence number on can be read. */
  readonly heldFrom: number;

  /**
   * Calls a listener with each commit from now on, in order and without gaps, in the tick in which
   * {@link PacketSource.head} moves.
   *
   * @param onFault - called where commits are lost on the way here: whoever was given those before them lacks these
   * @returns ends the subscription
   */
  subscribe(listener: (packet: Packet) => void, onFault?: (error: unknown) => void): () => void;

  /**
   * Packets after a position, in order, from `after + 1` on without gaps. Equal packets are the same object as long as
   * they are remembered, so that what is made of them is made once.
   *
   * @param after - sequence number of the last member that is not wanted, below the head
   * @returns at least one
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - retention erased some of it
   */
  read(after: number): readonly Packet[] | Promise<readonly Packet[]>;

  /** Bytes of events from a position to the head; `undefined` where that is not known. */
  bytesAfter(position: number): number | undefined;

  /**
   * The newest state of what changed after a position, up to some head not long ago: each entity once. It may begin with
   * entities that changed last at the position or before it, since it is shared: these are to be left out.
   *
   * @param after - 0 for the whole state, which is the living entities; else entities that ended since are told too
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - it cannot be told any more
   */
  state(after: number): Promise<State>;

  /**
   * Resolves once {@link PacketSource.head} is no less than the log had when it was asked, as far as can be known. Absent
   * where it always is.
   */
  caughtUp?(): Promise<void>;

  close(): void;
}

/** The newest state of what changed between two positions, in parts. */
export interface State {
  /** It has what changed after this sequence number. */
  readonly after: number;
  /** The head that it is as of. */
  readonly to: number;
  /** How many parts; 0 where nothing changed. */
  readonly length: number;
  /** Sequence number of the last member of each part; absent where that is known only of those that have come. */
  readonly lasts?: readonly number[];
  /** A part, in order of sequence; the last has the cursor of `to` as its id. */
  part(index: number): Promise<Packet>;
}
