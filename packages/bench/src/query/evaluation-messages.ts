/** The engines, by their names. */
export const ENGINES = ['comunica', 'oxigraph'] as const;
export type EngineName = (typeof ENGINES)[number];

/** What the process of an evaluation is told. */
export interface EvaluationTask {
  readonly engine: EngineName;
  /** The entity-local query, or the aggregate over all. */
  readonly query: 'local' | 'whole';
  /** Whether Comunica is asked again in full after each commit, in the same process. */
  readonly isBeside: boolean;
  readonly quads: number;
  readonly entities: number;
  readonly warmUp: number;
  readonly commits: number;
}

/** What it tells. Times in milliseconds. */
export interface EvaluationReport {
  /** How the query is answered, as `explain` says. */
  readonly strategy: 'local' | 'full';
  /** From the state being handed out to the first result. */
  readonly startMs: number;
  /** Of each commit that counts. */
  readonly commits: readonly CommitTimes[];
  /** Solutions of the last answer. */
  readonly solutions: number;
  /** Resident memory after the last commit. */
  readonly residentBytes: number;
}

/** What a commit took, milliseconds. */
export interface CommitTimes {
  /** From the commit being handed out to its result in the reader's hands: applying and answering. */
  readonly toldMs: number;
  /** The answering alone, as the result says. */
  readonly evaluationMs: number;
  /** Asking Comunica again in full, its store being up to date; absent where that is not measured. */
  readonly againMs?: number;
}
