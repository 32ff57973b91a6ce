import type { MappedDocument } from './compiled-mapping.ts';

/** What a document says, with its paths that are not mapped looked for when somebody asks. */
export type MappingFacts = Omit<MappedDocument, 'unmapped'>;

/** A class, since every object literal with a getter gets a hidden class of its own, which keeps a document alive. */
export class MappingResult implements MappedDocument {
  readonly drafts: MappedDocument['drafts'];
  readonly unreadableEntities: MappedDocument['unreadableEntities'];
  readonly unnamedRecords: number;
  readonly findings: MappedDocument['findings'];
  readonly problems: MappedDocument['problems'];
  readonly records: number;
  declare readonly documentTimeMs?: number;
  declare readonly documentTtlMs?: number;
  readonly #lookFor: () => readonly string[];
  #unmapped: readonly string[] | undefined;

  constructor(facts: MappingFacts, lookFor: () => readonly string[]) {
    this.drafts = facts.drafts;
    this.unreadableEntities = facts.unreadableEntities;
    this.unnamedRecords = facts.unnamedRecords ?? 0;
    this.findings = facts.findings;
    this.problems = facts.problems;
    this.records = facts.records;
    if (facts.documentTimeMs !== undefined) this.documentTimeMs = facts.documentTimeMs;
    if (facts.documentTtlMs !== undefined) this.documentTtlMs = facts.documentTtlMs;
    this.#lookFor = lookFor;
  }

  get unmapped(): readonly string[] {
    this.#unmapped ??= this.#lookFor();
    return this.#unmapped;
  }
}
