/**
 * How a stream takes members by `POST`. What they have to say is the stream's `shape`, if it has one.
 *
 * @see specs/ingest.md
 */
export interface IngestOptions {
  /**
   * SHA-256 of each token that may post, as 64 hexadecimal digits: at least one. The tokens themselves are not needed, and
   * not to be kept.
   */
  readonly tokenHashes: readonly string[];
  /**
   * JSON-LD contexts that documents may refer to, by their URL, each as it would be fetched: `{ "@context": ... }`. None is
   * ever fetched.
   *
   * @defaultValue none: contexts stand in the documents
   */
  readonly contexts?: Readonly<Record<string, object>>;
  /** What a post may take; each left out has its default. */
  readonly limits?: Partial<IngestLimits>;
}

/** What posts to one stream may take: integers of 1 or more. */
export interface IngestLimits {
  /** Bytes of one body, after decompression. @defaultValue 4 GiB */
  readonly limitBodyBytes: number;
  /** Members of one body. @defaultValue 5,000,000 */
  readonly limitBodyMembers: number;
  /** Bytes of a JSON-LD body, which is read whole; of NDJSON each line is read by itself. @defaultValue 16 MiB */
  readonly limitDocumentBytes: number;
  /** Characters of one member: of the terms of its statements together, or of its line of NDJSON. @defaultValue 1 Mi */
  readonly limitMemberCharacters: number;
  /** Statements of one member. @defaultValue 10,000 */
  readonly limitMemberQuads: number;
  /** How deep JSON may be nested. @defaultValue 64 */
  readonly limitDepth: number;
  /** Terms of the contexts that stand in a JSON-LD document, or line, for one node. @defaultValue 5,000 */
  readonly limitContextTerms: number;
  /**
   * Terms of the contexts for one node, times its nodes and the contexts that stand within others or within nodes: that is
   * what contexts take. @defaultValue 50,000
   */
  readonly limitContextWork: number;
  /** Posts to the stream that are read at a time; others wait for their turn. @defaultValue 8 */
  readonly limitPosts: number;
  /** Posts that may wait for their turn; past it, 429. @defaultValue 1,000 */
  readonly limitWaitingPosts: number;
  /** Members of one commit. @defaultValue 500 */
  readonly limitBatchMembers: number;
  /** Characters of the members of one commit, counted as for one. @defaultValue 4 Mi */
  readonly limitBatchCharacters: number;
  /** For how long a body may bring nothing while it is waited for, milliseconds. @defaultValue 30,000 */
  readonly limitSilenceMs: number;
  /** How long a whole post may take, milliseconds. @defaultValue 3,600,000: an hour */
  readonly limitPostMs: number;
  /** Values of `Idempotency-Key` that are remembered; past it, the oldest is forgotten. @defaultValue 10,000 */
  readonly limitKeys: number;
  /** How long a value of `Idempotency-Key` is remembered, milliseconds. @defaultValue 86,400,000: a day */
  readonly limitKeyAgeMs: number;
}
