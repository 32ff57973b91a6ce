import { converters as ownConverters } from '../convert/converters.ts';
import { compileContextMapping } from './compile-context-mapping.ts';
import type { CompileOptions } from './compile-options.ts';
import { compileRecordMapping } from './compile-record-mapping.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import type { ContextMapping, Mapping } from './mapping.ts';
import { MistakeList } from './mistake-list.ts';

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
  const mistakes = new MistakeList(options.lineOf);
  const whole = { converters: ownConverters, ...options };
  const compiled =
    'context' in mapping
      ? compileContextMapping(mapping, whole, mistakes)
      : compileRecordMapping(mapping, whole, mistakes);
  mistakes.throwIfAny();
  return compiled;
}
