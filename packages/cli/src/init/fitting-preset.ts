import { type DocumentReading, loadPreset, presetNames } from '@ldes-live/sources';
import { type PresetFit, presetFit } from './preset-fit.ts';

/** The preset for a sample, and those that somebody may want to try instead. */
export interface PresetChoice {
  readonly preset?: string;
  /** What else may fit, a sentence each. */
  readonly suggestions: readonly string[];
}

/** The share of records that have to be mapped: one without anything in it is often among them. */
const RECORDS = 0.9;
/** The share of what a preset can say from which on it was made for this data. */
const SURELY = 0.75;
/** The share from which on it may have been, if it knows every field. */
const MAYBE = 0.35;

/**
 * The preset that was made for what a sample is of: it maps nearly each record, knows every field, and finds most of what
 * it looks for. Names that any data has, such as `id` and `name`, are no evidence.
 */
export async function fittingPreset(bytes: Uint8Array, reading: DocumentReading): Promise<PresetChoice> {
  const { format = 'json' } = reading;
  const isOfFormat = (name: string) => {
    const preset = loadPreset(name);
    return preset.source === 'http' && (preset.mapping.reads?.format ?? 'json') === format;
  };
  const fits: PresetFit[] = [];
  for (const name of presetNames().filter(isOfFormat)) {
    const fit = await presetFit(name, bytes, reading);
    if (fit) fits.push(fit);
  }
  fits.sort((left, right) => right.said - left.said);
  const best = fits.find(isSure);
  return {
    ...(best && { preset: best.preset }),
    suggestions: fits.flatMap((fit) => (fit === best ? [] : (suggestion(fit) ?? []))),
  };
}

function isSure({ records, mapped, unmapped, said, isOfType, lookups }: PresetFit): boolean {
  const isMade = isOfType ?? said >= SURELY;
  return isMade && lookups.length === 0 && mapped > RECORDS * records && unmapped.length === 0;
}

function suggestion({ preset, records, mapped, unmapped, said, isOfType, lookups }: PresetFit): string | undefined {
  const { mapping } = loadPreset(preset);
  if (lookups.length > 0) {
    // Its records stand where no other data has them; without the lookups they may not become anything.
    if (records === 0 || mapping.records === undefined) return undefined;
    return `The preset ${preset} may fit: --preset ${preset}. It looks things up in ${lookups.length === 1 ? 'another document' : 'other documents'}, for which the source needs lookups: ${lookups.join(', ')}.`;
  }
  const least = unmapped.length === 0 ? MAYBE : SURELY;
  if (mapped <= RECORDS * records || !(isOfType ?? said >= least)) return undefined;
  const but =
    unmapped.length === 0
      ? `finds ${Math.round(100 * said)} % of what it looks for`
      : `knows nothing of ${unmapped.slice(0, 3).join(', ')}${unmapped.length > 3 ? ` and ${unmapped.length - 3} more` : ''}`;
  return `The preset ${preset} may fit, but it ${but}: --preset ${preset}.`;
}
