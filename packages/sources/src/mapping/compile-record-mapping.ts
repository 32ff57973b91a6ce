import { live, namedNode, sosa } from '@ldes-live/rdf-stream';
import { compileKey } from './compile-key.ts';
import { compileLookups } from './compile-lookups.ts';
import { compileProperties, typeIris } from './compile-node.ts';
import type { WholeOptions } from './compile-options.ts';
import { compileRecords, pathReading, readsKeys } from './compile-records.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { accountedFor, type Compiling, pathIdentity } from './compiling.ts';
import { numberOf } from './content-hash.ts';
import { compileDocumentFacts } from './document-facts.ts';
import { iriExpansion, prefixesAt } from './iris.ts';
import { mapDocument } from './map-document.ts';
import { mappingShape } from './mapping-shape.ts';
import { type PathStep, pathsOf } from './paths.ts';
import type { RecordPlan } from './record-plan.ts';
import type { Mapping, ProblemList } from './schema.ts';
import { tellingProperties } from './telling-properties.ts';
import { subjectTemplates } from './templates.ts';
import { compileValue } from './values.ts';

/** Compiles a mapping that says property by property what is written; mistakes are noted. */
export function compileRecordMapping(mapping: Mapping, options: WholeOptions, mistakes: ProblemList): CompiledMapping {
  const { reads = {}, lookups = {}, kind = 'state' } = mapping;
  const ignored = pathsOf(mapping.ignoreForChange, 'ignoreForChange', mistakes);
  const leftOut = pathsOf(mapping.leftOut, 'leftOut', mistakes);
  const compiling: Compiling = {
    mistakes,
    converters: options.converters,
    timeZone: mapping.timeZone,
    reading: pathReading(reads.format),
    lookups: new Set(Object.keys(lookups)),
    iris: iriExpansion(prefixesAt(mapping.prefixes, options)),
    covered: [],
    ignored: ignored.map(pathIdentity),
    scopes: [[]],
  };
  const template = subjectTemplates(mapping.variables ?? {}, options, compiling);
  const properties = compileProperties(mapping.properties, [], template, compiling);
  const telling = tellingProperties(mapping);
  const types = typeIris(mapping.type, ['type'], compiling);
  const versionTime = mapping.versionTime && compileValue(mapping.versionTime, ['versionTime'], compiling, 'iso');
  const keys = compileKey(mapping, template, compiling);
  const findInLookup = compileLookups(lookups, compiling);
  const plan: RecordPlan = {
    kind,
    eachRecord: compileRecords(mapping.records, ['records'], { ...reads, areKeyed: readsKeys(mapping) }, mistakes),
    hasFields: telling === undefined && compiling.covered.length > 0 && !compiling.covered.some(readsWhatHasNone),
    mustNotBeList: mapping.records !== undefined && !mapping.records.includes('[*]'),
    findInLookup,
    lookups: Object.keys(lookups),
    ...keys,
    types,
    typeNodes: types.map((type) => namedNode(type)),
    typeNumber: numberOf(types.join(' ')),
    properties,
    ...(telling && { telling: new Set(properties.filter((_, index) => telling.has(index))) }),
    saysTime: !properties.some(({ facts }) => facts.path === sosa.resultTime),
    ...(versionTime && { versionTime }),
    covered: [...compiling.covered, ...[...leftOut, ...ignored].map(accountedFor)],
    facts: compileDocumentFacts(mapping, compiling),
    ...(options.lineOf ? { lineOf: options.lineOf } : {}),
  };
  return {
    reading: reads,
    kind,
    lookups,
    map: (input) => mapDocument(plan, input),
    shape: (documentUrl, sequencePath = live.sequence) => mappingShape(plan, documentUrl, sequencePath),
  };
}

/** Whether a path leads to anything in a record without fields: a text, a number or a list. */
function readsWhatHasNone([first]: readonly PathStep[]): boolean {
  if (first === undefined || first === 'each' || 'item' in first) return true;
  return first.field === '#text' || first.field === '@value';
}
