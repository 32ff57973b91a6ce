/** How large the measurement of posts is. */
export interface IngestSize {
  /** Versions, in one request. */
  readonly members: number;
  /** Of which they are versions. */
  readonly entities: number;
}
