import { namedNode, nodeShapeQuads, sosa } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { typeIris } from './compile-node.ts';
import type { WholeOptions } from './compile-options.ts';
import { compileRecords, pathReading, readsKeys } from './compile-records.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import type { Compiling } from './compiling.ts';
import type { ContextPlan } from './context-plan.ts';
import { contextTerms } from './context-terms.ts';
import { compileDocumentFacts } from './document-facts.ts';
import { iriExpansion, prefixesAt } from './iris.ts';
import { mapContextDocument } from './map-context-document.ts';
import { pathsOf } from './paths.ts';
import type { ContextMapping, ProblemList } from './schema.ts';
import { subjectTells } from './telling-properties.ts';
import { subjectTemplates } from './templates.ts';
import { compileValue } from './values.ts';

/**
 * Compiles a mapping that is a JSON-LD context; mistakes are noted.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - there is no `toQuads`
 * @see specs/mappings.md MAP-27
 */
export function compileContextMapping(
  mapping: ContextMapping,
  options: WholeOptions,
  mistakes: ProblemList,
): CompiledMapping {
  const { toQuads } = options;
  if (!toQuads) {
    const expected = 'a function that makes quads of JSON-LD, which a mapping by "context" needs';
    throw errors.ERR_SOURCE_OPTION({ option: 'toQuads', value: 'undefined', expected });
  }
  const { reads = {}, kind = 'state' } = mapping;
  const compiling: Compiling = {
    mistakes,
    converters: options.converters,
    timeZone: mapping.timeZone,
    reading: pathReading(reads.format),
    lookups: new Set(),
    iris: iriExpansion(prefixesAt(mapping.prefixes, options)),
    covered: [],
    ignored: [],
    scopes: [[]],
  };
  const template = subjectTemplates(mapping.variables ?? {}, options, compiling);
  const ignored = pathsOf(mapping.ignoreForChange, 'ignoreForChange', mistakes);
  const leftOut = pathsOf(mapping.leftOut, 'leftOut', mistakes);
  const terms = contextTerms(mapping.context);
  const plan: ContextPlan = {
    kind,
    toQuads,
    context: mapping.context,
    terms,
    eachRecord: compileRecords(mapping.records, ['records'], { ...reads, areKeyed: readsKeys(mapping) }, mistakes),
    typeNodes: typeIris(mapping.type, ['type'], compiling).map((type) => namedNode(type)),
    ignored: ignored.map(({ steps }) => steps),
    subjectTells: subjectTells(mapping),
    saysTime: !terms.says(sosa.resultTime),
    facts: compileDocumentFacts(mapping, compiling),
    ...(mapping.subject === undefined ? {} : { subject: template(mapping.subject, ['subject'], 'entity') }),
    ...(mapping.series === undefined ? {} : { series: template(mapping.series, ['series'], 'entity') }),
    ...(mapping.versionTime
      ? { versionTime: compileValue(mapping.versionTime, ['versionTime'], compiling, 'iso') }
      : {}),
    covered: [...compiling.covered, ...[...leftOut, ...ignored].map(({ steps }) => steps), ...terms.paths],
    ...(options.lineOf ? { lineOf: options.lineOf } : {}),
  };
  return {
    reading: reads,
    kind,
    lookups: {},
    map: (input) => mapContextDocument(plan, input),
    // What a context makes of a record depends on the record: nothing can be ruled out.
    shape: (documentUrl) => {
      const iri = `${documentUrl}#Mapped`;
      return { iri, quads: nodeShapeQuads({ iri, nodeKindIri: true, properties: [] }) };
    },
  };
}
