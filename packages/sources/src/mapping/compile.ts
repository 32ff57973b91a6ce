/*
 * Compiles a mapping once to closures, which then map documents.
 *
 * mapping -> form (`schema`) -> paths, templates, values, terms, properties -> a plan -> `map` (`map-document`, or
 * `context` for a mapping that is a JSON-LD context). What is wrong is gathered, and told all at once:
 *
 *     [{ "path": ["properties", 0, "path"], "message": "\"a..b\" is no path: ...", "line": 12 }]
 */
import { dct, isStreamError, live, nodeShapeQuads, prov, rdf, sosa, xsd } from '@ldes-live/rdf-stream';
import { errors, type MappingMistake } from '../errors.ts';
import { accountedFor, type Compiling, compilePath, pathIdentity, pathTree } from './compiling.ts';
import { type ContextPlan, contextTerms, mapByContext, type ToQuads } from './context.ts';
import { iriExpansion, type MappingUrls, prefixesAt } from './iris.ts';
import {
  type DocumentPlan,
  type MappedDocument,
  type MappingInput,
  mapDocument,
  type RecordPlan,
} from './map-document.ts';
import { isOfDocument, type ParsedPath, type PathStep, pathsOf } from './paths.ts';
import { CompiledTypes, compileProperties, type MappingShape, mappingShape, type PropertyFacts } from './properties.ts';
import { aloneIsItem, compileDocumentFacts, compileLookups, compileRecords, readsKeys } from './records.ts';
import {
  type ContextMapping,
  checkForm,
  type DocumentReading,
  type LineOf,
  type Mapping,
  type MappingLookup,
  ProblemList,
} from './schema.ts';
import { type SubjectTemplate, subjectTemplates, type Template } from './templates.ts';
import { compileValue } from './values.ts';

/** Where a mapping is used, and what it needs besides. */
export interface CompileOptions extends MappingUrls {
  /** Tells lines of the file that the mapping was read from, for errors. */
  readonly lineOf?: LineOf;
  /** Makes quads of a JSON-LD document; it fetches nothing. Needed by a mapping that is a JSON-LD context. */
  readonly toQuads?: ToQuads;
  /** A clock that is never set back, milliseconds: by it long documents are cut to slices. @defaultValue that of the process */
  readonly nowMs?: () => number;
}

/** A mapping that is ready to map documents. */
export interface CompiledMapping {
  /** How bytes become the document. */
  readonly reading: DocumentReading;
  readonly kind: 'state' | 'observation';
  /** The other documents that are read beside, by name. */
  readonly lookups: Readonly<Record<string, MappingLookup>>;
  /**
   * Maps a document. Pure; at once where that takes no longer than a slice, but for a mapping that is a JSON-LD context.
   * Long documents are mapped in slices of about 5 ms; others have their turn in between.
   *
   * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - the document has nothing where its records should be
   */
  map(input: MappingInput): MappedDocument | Promise<MappedDocument>;
  /**
   * The SHACL shape of what it writes, closed: of entities, or of observations.
   *
   * @param documentUrl - URL of the document that the shape is served in: where its parts stand
   * @param sequencePath - of the log. @defaultValue that of a new one
   */
  shape(documentUrl: string, sequencePath?: string): MappingShape;
}

/**
 * Reads a mapping from what YAML or JSON says, and checks all of it that can be checked without data: keys, paths,
 * templates, IRIs and converters.
 *
 * @param lineOf - tells lines of the file, for the mistakes
 * @throws {@link StreamError} `ERR_MAPPING_INVALID` - it is none; `details.problems` has each mistake with its place
 * @see specs/mappings.md MAP-1
 */
export function parseMapping(value: unknown, lineOf?: LineOf): Mapping | ContextMapping {
  const mistakes = new ProblemList(lineOf);
  checkForm(value, mistakes);
  const mapping: Mapping | ContextMapping = value;
  const places = { publicUrl: 'https://host.example/', streamUrl: 'https://host.example/stream' };
  try {
    compileMapping(mapping, { ...places, toQuads: async () => [] });
  } catch (error) {
    if (!isStreamError(error, 'ERR_MAPPING_INVALID')) throw error;
    for (const { path, message } of error.details.problems as readonly MappingMistake[]) mistakes.add(path, message);
  }
  mistakes.throwIfAny();
  return mapping;
}

/**
 * Compiles a mapping once to closures, which then map documents.
 *
 * @param mapping - as {@link parseMapping} returns it
 * @throws {@link StreamError} `ERR_MAPPING_INVALID` - it cannot be compiled: each mistake with its place
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - `toQuads` is missing for a mapping that is a JSON-LD context
 * @see specs/mappings.md MAP-2
 *
 * @example
 * ```ts
 * const mapping = compileMapping(parseMapping(value), { publicUrl, streamUrl });
 * const { entities } = await mapping.map({ document });
 * ```
 */
export function compileMapping(mapping: Mapping | ContextMapping, options: CompileOptions): CompiledMapping {
  const mistakes = new ProblemList(options.lineOf);
  const isContext = 'context' in mapping;
  const { reads = {}, kind = 'state' } = mapping;
  const lookups = isContext ? {} : (mapping.lookups ?? {});
  const ignored = pathsOf(mapping.ignoreForChange, 'ignoreForChange', mistakes);
  const leftOut = pathsOf(mapping.leftOut, 'leftOut', mistakes);
  const compiling: Compiling = {
    mistakes,
    timeZone: mapping.timeZone,
    aloneIsItem: aloneIsItem(reads),
    lookups: new Set(Object.keys(lookups)),
    iris: iriExpansion(prefixesAt(mapping.prefixes, options)),
    covered: [],
    // A context reads what is left of a record without them.
    ignored: isContext ? [] : ignored.map(pathIdentity),
    scopes: [[]],
  };
  const template = subjectTemplates(mapping.variables ?? {}, options, compiling);
  const common = (addsTime: boolean, besides: readonly (readonly PathStep[])[] = []): DocumentPlan => ({
    kind,
    findRecords: compileRecords(mapping.records, ['records'], { ...reads, areKeyed: readsKeys(mapping) }, mistakes),
    lookups: compileLookups(lookups, compiling),
    types: new CompiledTypes(mapping.type, ['type'], compiling),
    series: mapping.series === undefined ? undefined : template(mapping.series, ['series'], 'entity'),
    versionTime: mapping.versionTime && compileValue(mapping.versionTime, ['versionTime'], compiling, 'iso'),
    addsTime,
    facts: compileDocumentFacts(mapping, compiling),
    covered: pathTree([...compiling.covered, ...[...leftOut, ...ignored].map(accountedFor), ...besides]),
    lineOf: options.lineOf,
    nowMs: options.nowMs,
  });
  const compiled = isContext
    ? compileContext(mapping, options, template, mistakes, ignored, common)
    : compileRecordMapping(mapping, template, compiling, common);
  mistakes.throwIfAny();
  return { reading: reads, kind, lookups, ...compiled };
}

type Common = (addsTime: boolean, besides?: readonly (readonly PathStep[])[]) => DocumentPlan;

/** Compiles a mapping that says property by property what is written. */
function compileRecordMapping(
  mapping: Mapping,
  template: SubjectTemplate,
  compiling: Compiling,
  common: Common,
): Pick<CompiledMapping, 'map' | 'shape'> {
  const properties = compileProperties(mapping.properties, [], template, compiling);
  const subject = template(mapping.subject, ['subject'], mapping.key ? 'keyed' : 'entity');
  const keys = compileKeys(mapping, subject, compiling);
  // Where the IRI comes from the topic or from nowhere, only what is said tells that a record is one (MAP-6).
  const isNamed = mapping.kind === 'observation' || subject.paths.some(isOfDocument);
  const asksContent = !isNamed && properties.some(({ hasContent }) => hasContent);
  const { covered } = compiling;
  const plan: RecordPlan = {
    ...common(!properties.some(({ facts }) => facts.path === sosa.resultTime)),
    subject,
    keys,
    hasFields: !asksContent && covered.length > 0 && !covered.some(readsWhatHasNone),
    mustNotBeList: mapping.records !== undefined && !mapping.records.includes('[*]'),
    properties,
    asksContent,
  };
  const facts = properties.map((property) => property.facts);
  const time: PropertyFacts = {
    path: sosa.resultTime,
    many: false,
    required: false,
    values: { datatypes: [xsd.dateTime] },
  };
  const written = { types: plan.types.iris, properties: plan.versionTime && plan.addsTime ? [...facts, time] : facts };
  return {
    map: (input) => mapDocument(plan, input),
    shape: (documentUrl, sequencePath = live.sequence) =>
      mappingShape(`${documentUrl}#Mapped`, written, [rdf.type, dct.isVersionOf, prov.generatedAtTime, sequencePath]),
  };
}

function compileContext(
  mapping: ContextMapping,
  { toQuads }: CompileOptions,
  template: SubjectTemplate,
  mistakes: ProblemList,
  ignored: readonly ParsedPath[],
  common: Common,
): Pick<CompiledMapping, 'map' | 'shape'> {
  if (!toQuads) {
    const expected = 'a function that converts JSON-LD to quads, which a mapping with "context" needs';
    throw errors.ERR_SOURCE_OPTION({ option: 'toQuads', value: 'undefined', expected });
  }
  const { context } = mapping;
  const terms = contextTerms(context, mistakes);
  const subject = mapping.subject === undefined ? undefined : template(mapping.subject, ['subject'], 'entity');
  const plan: ContextPlan = {
    ...common(!terms.says(sosa.resultTime), terms.paths),
    toQuads,
    context,
    terms,
    subject,
    subjectHasContent: subject === undefined || subject.paths.some(isOfDocument),
    ignored: ignored.map(({ steps }) => steps),
  };
  return {
    map: (input) => mapByContext(plan, input),
    // What a context makes of a record depends on the record: nothing can be ruled out.
    shape: (documentUrl) => {
      const iri = `${documentUrl}#Mapped`;
      return { iri, quads: nodeShapeQuads({ iri, nodeKindIri: true, properties: [] }) };
    },
  };
}

/** Whether a path leads to anything in a record without fields: a text, a number or a list. */
function readsWhatHasNone([first]: readonly PathStep[]): boolean {
  if (first === undefined || first === 'each' || 'item' in first) return true;
  return first.field === '#text' || first.field === '@value';
}

/**
 * Compiles what tells the records of a mapping apart besides the variables of `subject`; mistakes are noted.
 *
 * @see specs/mappings.md MAP-9
 */
function compileKeys({ key = [] }: Mapping, subject: Template, compiling: Compiling): RecordPlan['keys'] {
  const identities = new Set(subject.paths.map(pathIdentity));
  return key.map((text, index) => {
    const place = { at: ['key', index], path: text };
    const path = compilePath(text, place.at, compiling);
    if (path.many) compiling.mistakes.add(place.at, 'a path without [*] was expected: it has one value');
    if (!identities.has(pathIdentity(path.parsed))) {
      const what = `"${text}" is part of the key, but not of "subject": two keys would have one IRI`;
      compiling.mistakes.add(place.at, what);
    }
    return { path, place };
  });
}
