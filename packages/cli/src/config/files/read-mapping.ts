import { readFile } from 'node:fs/promises';
import { loadPreset } from '@ldes-live/sources';
import { formatProblem } from '../config-problem.ts';
import { readYaml } from '../yaml-text.ts';
import type { MappingText } from './mapping-text.ts';

/** A mapping that could be read, or what keeps it from being read, a line for each reason. */
export type MappingReading = MappingText | { readonly problems: readonly string[] };

/**
 * Reads the file of a mapping, YAML or JSON.
 *
 * @param file - its path, by which messages name it
 */
export async function readMapping(file: string): Promise<MappingReading> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { problems: [`${file}: it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`] };
  }
  const yaml = readYaml(text);
  if ('mistakes' in yaml) return { problems: yaml.mistakes.map((mistake) => formatProblem(file, mistake)) };
  return { value: yaml.value, file, locate: yaml.locate };
}

/**
 * A mapping that ships.
 *
 * @throws {@link StreamError} `ERR_PRESET_UNKNOWN` - there is none of the name
 */
export function presetText(name: string): MappingText {
  return { value: loadPreset(name).mapping, file: `preset ${name}` };
}
