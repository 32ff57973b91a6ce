/** How much of a feed is taken. */
export interface DecodeLimits {
  /**
   * Messages and groups within each other, the feed itself being 1: at least 6, which the specification needs.
   * @defaultValue 32
   */
  readonly limitDepth?: number;
  /**
   * Entities in one feed, skipped ones included.
   * @defaultValue 100000
   */
  readonly limitEntities?: number;
  /**
   * Bytes of one entity, which is read without a pause; a larger one is left out. As many, or 262144 where that is more,
   * may stand in a feed besides its entities.
   * @defaultValue 262144
   */
  readonly limitEntityBytes?: number;
  /**
   * Names in `unknownFields`; what is beyond is counted under `other`.
   * @defaultValue 100
   */
  readonly limitUnknownNames?: number;
}

/** What holds of the limits otherwise, and the least that an operator may give. */
export const DECODE_RANGES = {
  // What the specification of GTFS-Realtime nests.
  limitDepth: [32, 6],
  limitEntities: [100_000, 1],
  limitEntityBytes: [256 * 1024, 1],
  limitUnknownNames: [100, 0],
} as const;

/** Messages in one entity: as many nodes of RDF are made without a pause. */
export const LIMIT_ENTITY_MESSAGES = 25_000;
