import { presetNames } from '@ldes-live/sources';
import { z } from 'zod';

/** The mapping of a source: that of a file, one that ships, or one that stands in the configuration itself. */
export type MappingChoice = { readonly file: string } | { readonly preset: string } | { readonly inline: object };

/** The two keys that say how data becomes RDF. */
export function mappingShape() {
  return { mapping: mappingSchema().exactOptional(), preset: presetSchema().exactOptional() };
}

/**
 * Which mapping a source has.
 *
 * @param context - told where there is none, or more than one
 * @param otherwise - the preset where nothing is said; one has to be when absent
 */
export function mappingChoice(
  { mapping, preset }: { readonly mapping?: string | object | undefined; readonly preset?: string | undefined },
  context: z.RefinementCtx,
  otherwise?: string,
): MappingChoice {
  if (mapping !== undefined && preset !== undefined) {
    context.addIssue({ code: 'custom', path: ['preset'], message: 'it or mapping, not both' });
  }
  if (typeof mapping === 'string') return { file: mapping };
  if (mapping !== undefined) return { inline: mapping };
  const chosen = preset ?? otherwise;
  if (chosen !== undefined) return { preset: chosen };
  context.addIssue({
    code: 'custom',
    path: ['mapping'],
    message: 'the file of a mapping, a mapping, or preset beside it (ldes-live map --presets lists them)',
  });
  return z.NEVER;
}

function mappingSchema() {
  const expected = 'the file of a mapping, such as ./garages.mapping.yml, or a mapping';
  return z.unknown().transform((value, context): string | object => {
    if (typeof value === 'string' && value.trim() !== '') return value;
    // What is in it is for the reader of mappings to judge.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    context.addIssue({ code: 'custom', message: expected, input: value });
    return z.NEVER;
  });
}

function presetSchema() {
  const expected = `the name of a preset, one of ${presetNames().join(', ')}`;
  return z.string({ error: expected }).refine((name) => presetNames().includes(name), expected);
}
