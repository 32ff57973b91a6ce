import { isStreamError } from '@ldes-live/rdf-stream';
import { converters } from '../convert/converters.ts';
import { compileMapping } from './compile-mapping.ts';
import type { ContextMapping, Mapping } from './mapping.ts';
import type { MappingMistake } from './mapping-mistake.ts';
import type { LineOf } from './mistake-list.ts';
import { MistakeList } from './mistake-list.ts';
import { schemaMistakes } from './schema-mistakes.ts';

/**
 * Reads a mapping from what YAML or JSON says, and checks all of it that can be checked without data: keys, paths,
 * templates, IRIs and converters.
 *
 * @param lineOf - tells lines of the file, for the mistakes
 * @throws {@link StreamError} `ERR_MAPPING_INVALID` - it is none; `details.problems` has each mistake with its place
 * @see specs/mappings.md MAP-1
 */
export function parseMapping(value: unknown, lineOf?: LineOf): Mapping | ContextMapping {
  const mistakes = new MistakeList(lineOf);
  const ofForm = schemaMistakes(value);
  for (const { path, message } of ofForm.mistakes) mistakes.add(path, message);
  if (!ofForm.isReadable) mistakes.throwIfAny({ isAll: false });
  const mapping = value as Mapping | ContextMapping;
  for (const { path, message } of mistakesWithin(mapping)) mistakes.add(path, message);
  mistakes.throwIfAny();
  return mapping;
}

function mistakesWithin(mapping: Mapping | ContextMapping): readonly MappingMistake[] {
  try {
    compileMapping(mapping, {
      publicUrl: 'https://host.example/',
      streamUrl: 'https://host.example/stream',
      converters,
      toQuads: async () => [],
    });
    return [];
  } catch (error) {
    if (!isStreamError(error, 'ERR_MAPPING_INVALID')) throw error;
    return error.details.problems as readonly MappingMistake[];
  }
}
