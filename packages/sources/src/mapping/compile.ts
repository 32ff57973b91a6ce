import { isStreamError } from '@ldes-live/rdf-stream';
import { converters } from '../convert/converters.ts';
import type { MappingMistake } from '../errors.ts';
import { compileContextMapping } from './compile-context-mapping.ts';
import type { CompileOptions } from './compile-options.ts';
import { compileRecordMapping } from './compile-record-mapping.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { type ContextMapping, checkForm, type LineOf, type Mapping, ProblemList } from './schema.ts';

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
 * const { drafts } = await mapping.map({ document, origin: url });
 * ```
 */
export function compileMapping(mapping: Mapping | ContextMapping, options: CompileOptions): CompiledMapping {
  const mistakes = new ProblemList(options.lineOf);
  const whole = { converters, ...options };
  const compiled =
    'context' in mapping
      ? compileContextMapping(mapping, whole, mistakes)
      : compileRecordMapping(mapping, whole, mistakes);
  mistakes.throwIfAny();
  return compiled;
}
