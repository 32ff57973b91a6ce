import type { InitAnswers } from './init-answers.ts';
import type { NewFile } from './write-new.ts';

/** What `init` is going to write and say. */
export interface InitPlan {
  readonly answers: InitAnswers;
  /** The text of the configuration. */
  readonly config: string;
  /** The mapping beside it; none where one that ships is used, or none is needed. */
  readonly mappings: readonly NewFile[];
  /** What was seen and decided, a sentence each. */
  readonly notes: readonly string[];
  /** What to try the mapping on: the path or URL of the sample. */
  readonly sample?: string;
  /** The token that may post, shown once. */
  readonly token?: string;
}
