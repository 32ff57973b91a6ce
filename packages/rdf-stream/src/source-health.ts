/** How a feed of a stream fares, as `/health` tells it. Times are xsd:dateTime in UTC. */
export interface SourceHealth {
  /** Which feed. */
  readonly origin: string;
  /** `starting` before the first good poll, then whether the last poll was good. */
  readonly state: 'starting' | 'ok' | 'failing';
  /** When data was last taken, or found unchanged. */
  readonly lastGoodAt?: string;
  /** The newest time that the source states of its data, as of the last good poll that stated one. */
  readonly dataAt?: string;
  /** When the next poll is planned. */
  readonly nextPollAt?: string;
  /** When the next update is expected to be visible. */
  readonly nextUpdateAt?: string;
  /** The last thing that went wrong, kept after recovery. */
  readonly lastError?: SourceProblem;
  /** Polls since the start: good ones brought data or found it unchanged, bad ones brought nothing that counts. */
  readonly polls: { readonly good: number; readonly bad: number };
  /** How often each error came up since the start. */
  readonly errors: Readonly<Record<string, number>>;
  /** Findings about the data that do not stop publication, by name: broken rules, collisions, unknown fields. */
  readonly findings: Readonly<Record<string, number>>;
  /** When they were last judged. */
  readonly noticedAt?: string;
  /** What those of them mean that have a meaning to state, by name. */
  readonly meanings?: Readonly<Record<string, FindingMeaning>>;
}

/** One failure of a feed. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

/** What a finding about the data of a feed means. */
export interface FindingMeaning {
  /** One phrase in English that says what is wrong. */
  readonly title: string;
  /** `error` where the specification of the data is broken, `warning` where its advice is not followed. */
  readonly severity: 'error' | 'warning';
  /** Where it is explained. */
  readonly url?: string;
}
