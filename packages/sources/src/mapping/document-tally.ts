import type { StreamError, UpsertDraft } from '@ldes-live/rdf-stream';
import type { MappedDocument } from './compiled-mapping.ts';
import { type DocumentFacts, documentFacts } from './document-facts.ts';
import { MappingResult } from './mapping-result.ts';
import { type MappingRun, RecordProblem, type Scope } from './paths.ts';
import { MOST_PROBLEMS, recordError } from './record-error.ts';
import type { LineOf } from './schema.ts';

/** What of a mapping says how its records are counted. */
interface TallyPlan {
  readonly kind: 'state' | 'observation';
  readonly facts: DocumentFacts;
  readonly lineOf?: LineOf;
}

/** What comes of a document, record by record. */
export class DocumentTally {
  readonly #plan: TallyPlan;
  readonly #drafts = new Map<string, UpsertDraft>();
  readonly #unreadable = new Set<string>();
  readonly #findings = new Map<string, number>();
  readonly #problems: StreamError[] = [];
  #records = 0;
  #unnamed = 0;

  constructor(plan: TallyPlan) {
    this.#plan = plan;
  }

  /** Counts something odd. */
  count(finding: string): void {
    this.#findings.set(finding, (this.#findings.get(finding) ?? 0) + 1);
  }

  /** Turns a run to the next record. */
  begin(run: MappingRun, record: Scope): void {
    this.#records += 1;
    run.record = record;
    run.subject = '';
  }

  /** Takes what the record became. Of two of one entity the last counts. */
  take(draft: UpsertDraft): void {
    const before = this.#drafts.size;
    this.#drafts.set(draft.id ?? draft.entity, draft);
    if (this.#drafts.size === before) this.count('key-collision');
  }

  /** Leaves the record out. What is no problem of a record is thrown on. */
  leaveOut({ subject }: MappingRun, problem: unknown): void {
    this.#note(this.#records, problem);
    this.count('record-left-out');
    if (this.#plan.kind !== 'state') return;
    if (subject === '') this.#unnamed += 1;
    else this.#unreadable.add(subject);
  }

  /**
   * What came of all records, and what the document says of itself.
   *
   * @param lookFor - finds the paths that are not mapped
   */
  result(run: MappingRun, lookFor: () => readonly string[]): MappedDocument {
    run.record = run.root;
    const facts = documentFacts(this.#plan.facts, run, (record, problem) => this.#note(record, problem));
    return new MappingResult(
      {
        drafts: [...this.#drafts.values()],
        unreadableEntities: [...this.#unreadable],
        unnamedRecords: this.#unnamed,
        findings: Object.fromEntries(this.#findings),
        problems: this.#problems,
        ...facts,
        records: this.#records,
      },
      lookFor,
    );
  }

  #note(record: number, problem: unknown): void {
    if (!(problem instanceof RecordProblem)) throw problem;
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(recordError(record, problem, this.#plan.lineOf));
  }
}
