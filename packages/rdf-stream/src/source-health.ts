/** How a feed of a stream fares, as `/health` tells it. Times are xsd:dateTime in UTC. */
export interface SourceHealth {
  /** Which feed. */
  readonly origin: string;
  /** `starting` before the first good poll, then whether the last poll was good. */
  readonly state: 'starting' | 'ok' | 'failing';
  /** When data was last taken, or found unchanged. */
  readonly lastGoodAt?: string;
  /** When the next poll is planned. */
  readonly nextPollAt?: string;
  /** The last thing that went wrong, kept after recovery. */
  readonly lastError?: SourceProblem;
  /** Polls since the start: good ones brought data or found it unchanged, bad ones brought nothing that counts. */
  readonly polls: { readonly good: number; readonly bad: number };
  /** How often each error came up since the start. */
  readonly errors: Readonly<Record<string, number>>;
  /** Findings about the data that do not stop publication, by name: collisions, unknown fields. */
  readonly findings: Readonly<Record<string, number>>;
}

/** One failure of a feed. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}
