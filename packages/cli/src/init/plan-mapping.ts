import { type DocumentReading, loadPreset, type Mapping, readDocument } from '@ldes-live/sources';
import type { SourceKind } from '../command-line/init-command.ts';
import { usage } from '../command-line/option-values.ts';
import { counted } from '../counted.ts';
import { errors } from '../errors.ts';
import { errorAnswer } from './error-answer.ts';
import { fittingPreset } from './fitting-preset.ts';
import { guessMapping } from './guess/guess-mapping.ts';
import type { InitAnswers } from './init-answers.ts';
import { presetFit } from './preset-fit.ts';
import type { Recognition } from './recognition.ts';
import { mappingText } from './write-mapping.ts';
import type { NewFile } from './write-new.ts';

/** Which mapping is used: one that ships, one that is written, or none. */
export interface MappingPlan {
  readonly answers: Pick<InitAnswers, 'preset' | 'mappingFile' | 'lookups'>;
  readonly files: readonly NewFile[];
  readonly notes: readonly string[];
}

/** What the choice of a mapping depends on. */
export interface MappingNeed {
  readonly source: SourceKind;
  readonly preset: string | undefined;
  readonly recognition: Recognition | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly stream: string;
  /** Filters of MQTT. */
  readonly topics: readonly string[];
}

const COMMAND = 'ldes-live init';
/** Kinds that have a mapping of their own, or need none. */
const SETTLED: readonly SourceKind[] = ['gtfsrt', 'post', 'sensorthings'];
/** Feeds of GBFS that a preset is for. */
const GBFS_PRESETS = [undefined, 'station_status', 'vehicle_status', 'free_bike_status'];

/** The kinds of sources that presets for documents of HTTP can be used with. */
const DOCUMENTS = ['json', 'ndjson', 'geojson', 'csv', 'xml'] as const;
/** The kind of source of each of the other presets. */
const PRESET_SOURCES: Readonly<Record<string, SourceKind>> = {
  gbfs: 'gbfs',
  sensorThings: 'sensorthings',
  mqtt: 'mqtt',
};

/**
 * Decides how data becomes RDF: by the preset that was named, by one that was made for such data, or by a first guess.
 *
 * @throws {@link StreamError} `ERR_SAMPLE_UNKNOWN` - there are no records to guess from
 * @throws {@link StreamError} `ERR_USAGE` - the preset that was named is for other data
 */
export async function planMapping(need: MappingNeed): Promise<MappingPlan> {
  const { source, preset, recognition, bytes, stream } = need;
  if (preset !== undefined) return named(preset, need);
  const isSettled = SETTLED.includes(source) || (source === 'gbfs' && GBFS_PRESETS.includes(recognition?.gbfsFeed));
  if (isSettled) return { answers: { lookups: [] }, files: [], notes: [] };
  const reading = readingOf(source, recognition);
  if (bytes === undefined)
    throw errors.ERR_SAMPLE_UNKNOWN({ place: 'the data', expected: '--sample FILE, or --preset' });
  const { preset: fitting, suggestions } =
    source === 'mqtt' ? { preset: undefined, suggestions: [] } : await fittingPreset(bytes, reading);
  if (fitting !== undefined) {
    return {
      answers: { preset: fitting, lookups: [] },
      files: [],
      notes: [`The preset ${fitting} takes every field of it.`],
    };
  }
  const plan = written(need, reading, readDocument(bytes, reading), `${stream}.mapping.yml`);
  return { ...plan, notes: [...plan.notes, ...suggestions] };
}

/** The preset that was named, if it is one for such data. */
async function named(preset: string, { source, bytes }: MappingNeed): Promise<MappingPlan> {
  const { mapping, source: of } = loadPreset(preset);
  const kinds =
    of === 'http' ? DOCUMENTS.filter((kind) => isReadBy(mapping, kind)) : [PRESET_SOURCES[of] as SourceKind];
  if (!kinds.some((kind) => kind === source)) {
    throw usage(COMMAND, `The preset ${preset} is for sources of ${kinds.join(', ')}, and this is ${source}.`);
  }
  const lookups = Object.keys(mapping.lookups ?? {});
  if (bytes && of === 'http') {
    const fit = await presetFit(preset, bytes, { format: source as (typeof DOCUMENTS)[number] });
    if (!fit || fit.records === 0 || (fit.mapped === 0 && lookups.length === 0)) {
      throw usage(COMMAND, `The preset ${preset} maps nothing of the sample: leave --preset out to see what fits.`);
    }
  }
  const notes = lookups.map((name) => `CHECK: say under lookups in the configuration where "${name}" is.`);
  return { answers: { preset, lookups }, files: [], notes };
}

/** A preset that names no format reads what is like JSON; of CSV nobody could tell. */
function isReadBy({ reads }: Mapping, kind: (typeof DOCUMENTS)[number]): boolean {
  return reads?.format === undefined ? kind !== 'xml' : reads.format === kind;
}

function readingOf(source: SourceKind, recognition: Recognition | undefined): DocumentReading {
  if (recognition?.reading && (source === 'mqtt' || source === 'gbfs' || recognition.source === source)) {
    return recognition.reading;
  }
  const format = DOCUMENTS.find((known) => known === source);
  return { format: format ?? 'json' };
}

function written(
  { stream, topics, source }: MappingNeed,
  reading: DocumentReading,
  document: unknown,
  mappingFile: string,
): MappingPlan {
  const error = errorAnswer(document);
  if (error !== undefined) {
    throw errors.ERR_SAMPLE_UNKNOWN({
      place: 'the sample',
      because: `is an answer that says ${error}`,
      expected: 'one that has records with fields',
    });
  }
  const guess = guessMapping({ document, reading, stream, ...(source === 'mqtt' && { topics }) });
  if (guess.records === 0 || guess.mapping.properties.length === 0) {
    throw errors.ERR_SAMPLE_UNKNOWN({ place: 'the sample', expected: 'one that has records with fields' });
  }
  const checks = Object.values(guess.remarks).filter((remark) => remark.startsWith('CHECK'));
  return {
    answers: { mappingFile, lookups: [] },
    files: [{ name: mappingFile, text: mappingText(guess, `How ${stream} becomes RDF: a first guess from a sample.`) }],
    notes: [
      `${counted(guess.records, 'record')}, ${counted(guess.mapping.properties.length, 'property', 'properties')}, ${counted(guess.mapping.leftOut?.length ?? 0, 'field')} left out.`,
      ...checks.map((check) => `${check}.`),
    ],
  };
}
