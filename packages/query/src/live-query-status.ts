/** How a live query fares. */
export interface LiveQueryStatus {
  /** How often it was asked. */
  readonly evaluations: number;
  /** Events of the sources after which it was not asked, since they cannot matter to it. */
  readonly skipped: number;
  /** Evaluations that could not keep the MAL. */
  readonly overruns: number;
  /** Members that came too late for every window that they belong to. */
  readonly lateMembers: number;
  /** Quads in view. */
  readonly quads: number;
  /**
   * The last answer holds all that was published until then, as far as the sources show: it goes on while they bring only
   * what cannot matter, and stands still while they cannot be heard. Absent before the first.
   */
  readonly dataAsOf: Date | undefined;
  /** When the last evaluation ended. */
  readonly evaluatedAt: Date | undefined;
  /** How long the last evaluation took, milliseconds. */
  readonly lastEvaluationMs: number | undefined;
  /** The sources, in their order. */
  readonly sources: readonly SourceStatus[];
}

/** How a source of a live query fares. */
export interface SourceStatus {
  /** The stream's IRI, where the source tells it. */
  readonly url: string | undefined;
  /** Where it stands by what was applied; absent while it has brought nothing. */
  readonly cursor: string | undefined;
  /** What keeps it from bringing anything, in words for people; absent while all is well, as far as it tells. */
  readonly trouble: string | undefined;
}
