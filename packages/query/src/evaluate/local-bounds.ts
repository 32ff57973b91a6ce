/** Up to where solutions are found from what changed; beyond, the whole is asked again, which is no slower then. */
export interface LocalBounds {
  /** Nodes that are looked at to find the affected roots. */
  readonly limitNodes: number;
  /** Quads that their solutions can follow from, given how many there are in the store. */
  limitQuads(size: number): number;
}

/** The bounds that hold where none are given. */
export const defaultLocalBounds: LocalBounds = {
  limitNodes: 2_000,
  limitQuads: (size) => Math.max(1_000, size / 4),
};
