/** What a catalogue says of a stream besides where it is. */
export interface StreamAbout {
  /** What it holds, for people. */
  readonly description?: string;
  /** IRI of the licence that it is published under. */
  readonly licence?: string;
  /** Who publishes it. */
  readonly publisher?: Publisher;
  /** Words that it should be found by. */
  readonly keywords?: readonly string[];
}

/** An organisation that publishes. */
export interface Publisher {
  readonly name: string;
  /** IRI of the organisation; without one it is known by its name only. */
  readonly iri?: string;
}
