import type { PacketSubject } from '../packets/packet.ts';

/** A box of degrees; `west` may be above `east`, across the antimeridian. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/**
 * The part of a stream that a reader wants. Of each kind any one will do, and of the kinds that are given all have to fit.
 * A delete says neither type nor place: it fits these.
 */
export interface PushFilter {
  /** Equal filters have equal keys. */
  readonly key: string;
  /** Empty when not narrowed by it. */
  readonly entities: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly boxes: readonly Box[];
}

/** What else a filter has to know of a subject: where its entity was before, as far as that is known. */
export type WasWhere = PacketSubject['position'] | 'nowhere' | 'unknown';
