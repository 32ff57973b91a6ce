/*
 * Maps a document by a compiled mapping: records -> entities, problems, and paths that nothing maps.
 *
 * `[{ "id": 7, "bikes": 4 }, { "id": 8, "bikes": "many" }]` becomes an entity with its quads and its fingerprint, an
 * `ERR_MAPPING_RECORD` for record 2, and the IRI of the entity of that, which has not ended. A record that cannot be
 * mapped never takes its neighbours along. Long documents are mapped in slices, and keep no quads.
 */
import { hash } from 'node:crypto';
import { literal, namedNode, quad, type StreamError, sosa, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors, mappingPathText } from '../errors.ts';
import { inSlices, Slices, type Steps } from '../slices.ts';
import type { Candidate } from '../source.ts';
import { type CompiledPath, lookUnmapped, type PathTree } from './compiling.ts';
import { type MappingRun, RecordProblem, type Scope, startRun, type ValuePlace } from './paths.ts';
import type { CompiledProperty, CompiledTypes, Described } from './properties.ts';
import { type CompiledLookups, type DocumentFacts, type FindRecords, factOf, type Records } from './records.ts';
import type { LineOf } from './schema.ts';
import type { Template } from './templates.ts';
import { instantOf } from './terms.ts';
import type { CompiledValue } from './values.ts';

/** A document that is to be mapped. */
export interface MappingInput {
  /** What `readDocument` made of its bytes. */
  readonly document: unknown;
  /** The documents of the lookups, by name; what is said by those that are missing is absent. */
  readonly lookups?: Readonly<Record<string, unknown>>;
  /** The levels of the topic that it came by, for paths that begin with `$topic`. */
  readonly topic?: readonly string[];
  /** How many records it may have, together with those that came before it in other pages. */
  readonly recordLimit?: { readonly limitRecords: number; readonly before: number };
}

/** What a document says. */
export interface MappedDocument {
  /** Each of another entity, or of observations each with another `id`. */
  readonly entities: readonly Candidate[];
  /** IRIs of the entities whose records cannot be mapped: they have not ended. */
  readonly unreadableEntities: readonly string[];
  /** How many records of states cannot be mapped and do not tell whose they are. */
  readonly unnamedRecords: number;
  /** What was odd, by name, how often. */
  readonly findings: Readonly<Record<string, number>>;
  /** `ERR_MAPPING_RECORD` for the first records that cannot be mapped. */
  readonly problems: readonly StreamError[];
  /** When the document was made, by what it says, epoch milliseconds. */
  readonly documentTimeMs?: number;
  /** For how long it holds, by what it says, milliseconds. */
  readonly documentTtlMs?: number;
  /** How many records there are, those included that cannot be mapped. */
  readonly records: number;
  /** Looks for the paths of its records that are neither mapped nor left out nor ignored, sorted. */
  unmapped(): Promise<readonly string[]>;
}

/** How many records of a document that cannot be mapped are told one by one. */
export const MAX_PROBLEMS = 20;

/** So many quads of a document are kept. Others are made again where they are asked for: all at once fill the memory. */
const MAX_KEPT_QUADS = 100_000;

/** How much of a value a report shows, in characters. */
const SAMPLE_CHARACTERS = 80;

/** What is done with the records of a document. */
export interface DocumentPlan {
  readonly kind: 'state' | 'observation';
  readonly findRecords: FindRecords;
  readonly lookups: CompiledLookups;
  readonly types: CompiledTypes;
  /** What an observation is of. */
  readonly series: Template | undefined;
  readonly versionTime: CompiledValue | undefined;
  /** Whether the version time is written besides what else is. */
  readonly addsTime: boolean;
  readonly facts: DocumentFacts;
  /** The paths of the record that are accounted for. */
  readonly covered: PathTree;
  readonly lineOf: LineOf | undefined;
  /** The clock of slices. */
  readonly nowMs: (() => number) | undefined;
}

/** What is done with the records of a mapping by properties. */
export interface RecordPlan extends DocumentPlan {
  readonly subject: Template;
  /** The paths of `key`, where the mapping names them. */
  readonly keys: readonly { readonly path: CompiledPath; readonly place: ValuePlace }[];
  /** Whether only fields are read of a record, so that what has none is no record; where `asksContent` does not say so. */
  readonly hasFields: boolean;
  /** Whether the records are one value, so that a list there is a mistake. */
  readonly mustNotBeList: boolean;
  readonly properties: readonly CompiledProperty[];
  /** Whether a property that has content has to say something, since nothing else tells that a record is one. */
  readonly asksContent: boolean;
}

/**
 * Maps a document by properties; at once where that takes no longer than a slice.
 *
 * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - it has nothing where its records should be
 * @see specs/mappings.md MAP-6
 */
export function mapDocument(plan: RecordPlan, input: MappingInput): MappedDocument | Promise<MappedDocument> {
  return inSlices(mapping(plan, input), new Slices(plan.nowMs));
}

function* mapping(plan: RecordPlan, input: MappingInput): Steps<MappedDocument> {
  const result = new DocumentResult(plan, input);
  const { items, scopeOf } = yield* result.find();
  if (items.length > 0) yield* plan.lookups.index(input.lookups ?? {});
  let kept = 0;
  for (const [index, item] of items.entries()) {
    const record = scopeOf(item, index);
    if (!record) continue;
    const { blankNodes } = record.run;
    result.begin(record);
    try {
      const mapped = mapRecord(plan, record);
      const { length: quads } = mapped.quads();
      if (kept + quads > MAX_KEPT_QUADS) mapped.forgetQuads(() => mapAgain(plan, record, blankNodes));
      else kept += quads;
      result.take(mapped);
    } catch (problem) {
      result.leaveOut(problem);
    }
    yield;
  }
  return result.close();
}

function mapAgain(plan: RecordPlan, record: Scope, blankNodes: number): readonly Quad[] {
  Object.assign(record.run, { record, blankNodes, looks: 0, looksOutside: 0 });
  return mapRecord(plan, record).quads();
}

/**
 * Maps one record. The IRI of what it describes stands in `record.run.subject` as soon as it is known.
 *
 * @throws RecordProblem - it cannot be mapped
 */
function mapRecord(plan: RecordPlan, record: Scope): MappedEntity {
  const { value } = record;
  if (plan.mustNotBeList && Array.isArray(value)) {
    throw new RecordProblem(RECORDS, 'one record was expected, but it is a list: end the path with [*]', value);
  }
  for (const { path, place } of plan.keys) {
    if (path.one(record) === undefined) {
      throw new RecordProblem(place, 'the record lacks this part of its key', value);
    }
  }
  const iri = plan.subject.expand(record) as string;
  record.run.subject = iri;
  if (plan.hasFields && (typeof value !== 'object' || Array.isArray(value))) {
    throw new RecordProblem(RECORDS, 'a record with fields was expected, but it has none', value);
  }
  const isState = plan.kind === 'state';
  const subject = namedNode(iri);
  const described: Described = { subject, quads: plan.types.quads(subject), text: plan.types.text, counted: isState };
  const { versionTime: time } = plan;
  let hasContent = !plan.asksContent;
  for (const property of plan.properties) {
    const times = property.add(record, described);
    if (times === 0 && property.required) {
      throw new RecordProblem(property.place, 'a required value is missing', value);
    }
    if (times > 0 && property.hasContent) hasContent = true;
  }
  const versionTime = instantIn(time, record);
  if (!hasContent && versionTime === undefined) {
    throw new RecordProblem({ at: ['properties'], path: '' }, 'the record has no field that the mapping uses', value);
  }
  if (versionTime !== undefined) {
    if (plan.addsTime) described.quads.push(resultTimeQuad(iri, versionTime));
    if (!time?.ignored) described.text += versionTime;
  }
  return isState
    ? new MappedEntity(iri, undefined, versionTime, described.quads, described.text)
    : new MappedEntity(plan.series?.expand(record) ?? iri, iri, versionTime, described.quads, '');
}

const RECORDS: ValuePlace = { at: ['records'], path: '' };

const resultTime = namedNode(sosa.resultTime);

/** Says the version time of what has the IRI. */
export function resultTimeQuad(iri: string, versionTime: string): Quad {
  return quad(namedNode(iri), resultTime, literal(versionTime, xsd.dateTime));
}

/** The time that a record states of itself, as xsd:dateTime. @throws RecordProblem - it is no time with a zone */
export function instantIn(value: CompiledValue | undefined, record: Scope): string | undefined {
  const read = (text: string) => (instantOf(text) === undefined ? undefined : text);
  return factOf(value, record, read, 'a time with its zone was expected, such as 2026-11-21T09:00:00Z');
}

/** What a record says. A class, since an object literal with a getter has a hidden class of its own, which keeps a document alive. */
export class MappedEntity implements Candidate {
  readonly entity: string;
  readonly id: string | undefined;
  readonly versionTime: string | undefined;
  #quads: readonly Quad[] | (() => readonly Quad[]);
  /** What it is made of, until it is asked for: to hash takes as long as to map a record. */
  #text: string | undefined;
  #fingerprint = '';

  /** @param text - equal for equal content, and for nothing else; of no meaning for what has an `id` */
  constructor(
    entity: string,
    id: string | undefined,
    versionTime: string | undefined,
    quads: readonly Quad[],
    text: string,
  ) {
    this.entity = entity;
    this.id = id;
    this.versionTime = versionTime;
    this.#quads = quads;
    this.#text = text;
  }

  /** Of 22 characters, or the `id`. */
  get fingerprint(): string {
    if (this.#text !== undefined) {
      this.#fingerprint = this.id ?? hash('sha256', this.#text, 'base64url').slice(0, 22);
      this.#text = undefined;
    }
    return this.#fingerprint;
  }

  quads(): readonly Quad[] {
    return typeof this.#quads === 'function' ? this.#quads() : this.#quads;
  }

  /** Has the quads made again by each who asks for them. */
  forgetQuads(make: () => readonly Quad[]): void {
    void this.fingerprint;
    this.#quads = make;
  }
}

/** What comes of a document, record by record. */
export class DocumentResult implements MappedDocument {
  declare readonly documentTimeMs?: number;
  declare readonly documentTtlMs?: number;
  readonly problems: StreamError[] = [];
  entities: readonly MappedEntity[] = [];
  findings: Readonly<Record<string, number>> = {};
  records = 0;
  unnamedRecords = 0;
  readonly #plan: DocumentPlan;
  readonly #run: MappingRun;
  readonly #recordLimit: MappingInput['recordLimit'];
  readonly #entities = new Map<string, MappedEntity>();
  readonly #unreadable = new Set<string>();
  readonly #counts = new Map<string, number>();
  #found: Records = { items: [], scopeOf: () => undefined };

  constructor(plan: DocumentPlan, input: MappingInput) {
    const { document, topic = [], lookups = {}, recordLimit } = input;
    this.#recordLimit = recordLimit;
    const missed = new Map<string, Scope>();
    this.#plan = plan;
    this.#run = startRun(document, topic, (name, run) => {
      const found = plan.lookups.find(name, run, lookups);
      // Many properties may ask for the same record.
      if (!found && missed.get(name) !== run.record) {
        missed.set(name, run.record);
        this.#count(`lookup-without-record:${name}`);
      }
      return found;
    });
  }

  /**
   * Finds the records of the document.
   *
   * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - it has nothing where they should be
   * @throws {@link StreamError} `ERR_DOCUMENT_TOO_MANY` - there are more than there may be
   */
  *find(): Steps<Records> {
    const found = yield* this.#plan.findRecords(this.#run.root);
    const { limitRecords = Number.POSITIVE_INFINITY, before = 0 } = this.#recordLimit ?? {};
    if (before + found.items.length > limitRecords) throw errors.ERR_DOCUMENT_TOO_MANY({ limitRecords });
    this.#found = found;
    return found;
  }

  /** Turns to the next record. */
  begin(record: Scope): void {
    this.records += 1;
    Object.assign(this.#run, { record, subject: '', looks: 0 });
  }

  /** Takes what the record became. Of two of one entity the last counts. */
  take(mapped: MappedEntity): void {
    const before = this.#entities.size;
    this.#entities.set(mapped.id ?? mapped.entity, mapped);
    if (this.#entities.size === before) this.#count('key-collision');
  }

  /** Leaves the record out. What is no problem of a record is thrown on. */
  leaveOut(problem: unknown): void {
    this.#note(this.records, problem);
    this.#count('record-left-out');
    if (this.#plan.kind !== 'state') return;
    if (this.#run.subject === '') this.unnamedRecords += 1;
    else this.#unreadable.add(this.#run.subject);
  }

  /** Reads what the document says of itself, after all records. */
  close(): this {
    Object.assign(this.#run, { record: this.#run.root, looks: 0 });
    for (const [name, fact] of Object.entries(this.#plan.facts)) {
      try {
        const value = fact(this.#run);
        if (value !== undefined) Object.assign(this, { [name]: value });
      } catch (problem) {
        this.#note(0, problem);
      }
    }
    this.#run.looks = Number.NEGATIVE_INFINITY;
    this.entities = [...this.#entities.values()];
    this.#entities.clear();
    // A copy: what is looked up once more later counts for nothing.
    this.findings = Object.fromEntries(this.#counts);
    return this;
  }

  get unreadableEntities(): readonly string[] {
    return [...this.#unreadable];
  }

  async unmapped(): Promise<readonly string[]> {
    const found = new Set<string>();
    const { items, scopeOf } = this.#found;
    const slices = new Slices(this.#plan.nowMs);
    for (const [index, item] of items.entries()) {
      if (slices.isOver) await slices.next();
      const record = scopeOf(item, index);
      if (!record) continue;
      this.#run.record = record;
      const beside = this.#plan.lookups.names.map((name) => [name, this.#lookedUp(name)] as const);
      lookUnmapped(this.#plan.covered, record.value, beside, found);
    }
    return [...found].sort();
  }

  #lookedUp(name: string): unknown {
    try {
      return this.#run.lookup(name)?.value;
    } catch (problem) {
      // The record is told of where it is mapped.
      if (problem instanceof RecordProblem) return undefined;
      throw problem;
    }
  }

  #count(finding: string): void {
    this.#counts.set(finding, (this.#counts.get(finding) ?? 0) + 1);
  }

  #note(record: number, problem: unknown): void {
    if (!(problem instanceof RecordProblem)) throw problem;
    if (this.problems.length >= MAX_PROBLEMS) return;
    const { place, value, message } = problem;
    const line = this.#plan.lineOf?.(place.at);
    const where = { mapping: mappingPathText(place.at), ...(line === undefined ? {} : { line }), path: place.path };
    this.problems.push(errors.ERR_MAPPING_RECORD({ record, ...where, sample: sampleOf(value), reason: message }));
  }
}

/** A value without what no sample shows: each value in it takes a character of JSON or more. */
function beginningOf(value: unknown, budget = { left: 2 * SAMPLE_CHARACTERS }): unknown {
  if (typeof value === 'string') return value.slice(0, 2 * SAMPLE_CHARACTERS);
  if (typeof value !== 'object' || value === null) return value;
  const items: [key: string, item: unknown][] = [];
  for (const key in Array.isArray(value) ? value.slice(0, budget.left) : value) {
    budget.left -= 1;
    if (budget.left < 0) break;
    items.push([key, beginningOf((value as Record<string, unknown>)[key], budget)]);
  }
  return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
}

/** The beginning of a value as JSON, on one line. */
function sampleOf(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(beginningOf(value)) ?? String(value));
  const characters = [...text.slice(0, 2 * SAMPLE_CHARACTERS)];
  return characters.length > SAMPLE_CHARACTERS ? `${characters.slice(0, SAMPLE_CHARACTERS - 1).join('')}…` : text;
}
