/** What paths are followed from: a record, or a part of it that a wildcard or a node leads to. */
export interface Scope {
  readonly value: unknown;
  /** Its key in the mapping, or its position in the list, that the innermost wildcard took it from. */
  readonly key: string | number | undefined;
  /** What the wildcard or the node before leads to: where `^` goes. */
  readonly above: Scope | undefined;
  readonly run: MappingRun;
}

/** One document while it is mapped. */
export interface MappingRun {
  /** The scope of the document. */
  readonly root: Scope;
  /** The levels of the topic that the document came by. */
  readonly topic: readonly string[];
  /** The record of a lookup that fits the record that is mapped. */
  readonly lookup: (name: string) => Scope | undefined;
  /** The record that is mapped. */
  record: Scope;
  /** IRI of what is described, once it is known. */
  subject: string;
  /** How many blank nodes there are so far. */
  blankNodes: number;
}

/** A run over a document. The record is the document until there is another. */
export function startRun(
  document: unknown,
  topic: readonly string[],
  lookup: (name: string, run: MappingRun) => Scope | undefined,
): MappingRun {
  const run = { topic, subject: '', blankNodes: 0, lookup: (name: string) => lookup(name, run) } as {
    -readonly [Name in keyof MappingRun]: MappingRun[Name];
  };
  run.root = { value: document, key: undefined, above: undefined, run };
  run.record = run.root;
  return run;
}
