/** What the log remembers of an entity's newest version, for whoever must tell what changed. */
export interface LatestEntry {
  readonly entity: string;
  /** Sequence of the newest version. */
  readonly sequence: number;
  /** The feed it came from. */
  readonly origin: string;
  /** As its draft had it. */
  readonly fingerprint: string;
  /** As its draft had it. */
  readonly versionTime?: string;
}

/** A read-only view of the latest state: the living entities of a stream. */
export interface LatestView {
  /** How many entities live. */
  readonly size: number;
  /** The newest version of an entity; `undefined` when it does not live. */
  get(entity: string): LatestEntry | undefined;
  /** The living entities that came from one feed; do not append while iterating. */
  ofOrigin(origin: string): Iterable<LatestEntry>;
  /** Sequence numbers of the newest versions, ascending: what a document of the latest state is made of. */
  sequences(): number[];
  /**
   * Which of these IRIs are of versions that the log holds under IRIs of their own, of living entities or not: what it
   * holds is not published again. Those that it made itself are not asked for.
   */
  hasVersions(versionIris: readonly string[]): Promise<ReadonlySet<string>>;
}
