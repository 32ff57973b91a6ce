import { dirname, resolve } from 'node:path';
import type { ContentShape } from '@ldes-live/server';
import type { CompiledMapping } from '@ldes-live/sources';
import { formatProblem } from '../config-problem.ts';
import type { ParsedConfig } from '../parse-config.ts';
import type { SourceConfig } from '../sources/source-schema.ts';
import { compiledMapping } from './compiled-mapping.ts';
import type { MappingText } from './mapping-text.ts';
import { readContext } from './read-context.ts';
import { type MappingReading, presetText, readMapping } from './read-mapping.ts';
import { readShape } from './read-shape.ts';

/** What the files that a stream names hold, ready for use. */
export interface StreamFiles {
  /** What was read, as one text: equal where nothing has changed. */
  readonly read: string;
  /** How its data becomes RDF. */
  readonly mapping?: CompiledMapping;
  /** What its members say. */
  readonly shape?: ContentShape;
  /** JSON-LD contexts by their URLs. */
  readonly contexts?: Readonly<Record<string, object>>;
}

/** A stream whose files are to be read. */
interface StreamPlace extends ParsedConfig {
  readonly configFile: string;
  readonly name: string;
  readonly source: SourceConfig;
}

/**
 * Reads what a stream names: its mapping, its shape, its contexts; relative paths are seen from the configuration.
 *
 * @param problems - gets a line for each mistake
 */
export async function streamFiles(place: StreamPlace, problems: string[]): Promise<StreamFiles> {
  const { source } = place;
  if (source.kind === 'gtfsRt' || source.kind === 'timetable') return { read: '' };
  return source.kind === 'post' ? await postFiles(place, source, problems) : await mappingFile(place, source, problems);
}

type Mapped = Exclude<SourceConfig, { kind: 'gtfsRt' | 'timetable' | 'post' }>;

async function mappingFile(place: StreamPlace, source: Mapped, problems: string[]): Promise<StreamFiles> {
  const { name, config } = place;
  const reading = await mappingText(place, source);
  if ('problems' in reading) {
    problems.push(...reading.problems);
    return { read: '' };
  }
  const { publicUrl } = config;
  const format = source.kind === 'documents' ? { format: source.format } : {};
  const outcome = compiledMapping(reading, { publicUrl, streamUrl: `${publicUrl}${name}`, ...format });
  if ('problems' in outcome) {
    problems.push(...outcome.problems);
    return { read: '' };
  }
  if (source.kind === 'documents') problems.push(...lookupProblems(place, source, outcome.mapping));
  return { read: JSON.stringify(reading.value), mapping: outcome.mapping };
}

async function mappingText({ configFile, name, yaml }: StreamPlace, { mapping }: Mapped): Promise<MappingReading> {
  if ('preset' in mapping) return presetText(mapping.preset);
  if ('file' in mapping) return await readMapping(resolve(dirname(configFile), mapping.file));
  const at = ['streams', name, 'source', 'mapping'];
  const text: MappingText = {
    value: mapping.inline,
    file: configFile,
    locate: (path, part) => yaml.locate([...at, ...path], part),
  };
  return text;
}

/** The lookups that the mapping has and the configuration lacks, and the other way round. */
function lookupProblems(
  { configFile, name, yaml }: StreamPlace,
  { lookups = {} }: Extract<Mapped, { kind: 'documents' }>,
  mapping: CompiledMapping,
): string[] {
  const known = Object.keys(mapping.lookups);
  const at = ['streams', name, 'source', 'lookups'];
  const told = (path: readonly string[], message: string) =>
    formatProblem(configFile, { ...yaml.locate(path, 'key'), message });
  return [
    ...known
      .filter((lookup) => !Object.hasOwn(lookups, lookup))
      .map((lookup) => told([...at, lookup], `found nothing, expected the URL of what the mapping calls ${lookup}`)),
    ...Object.keys(lookups)
      .filter((lookup) => !known.includes(lookup))
      .map((lookup) => told([...at, lookup], 'the mapping has no lookup of this name')),
  ];
}

async function postFiles(
  { configFile, name, config }: StreamPlace,
  { shape: shapeFile, contexts = {} }: Extract<SourceConfig, { kind: 'post' }>,
  problems: string[],
): Promise<StreamFiles> {
  const beside = (file: string) => resolve(dirname(configFile), file);
  const loaded: Record<string, object> = {};
  for (const [url, file] of Object.entries(contexts)) {
    const reading = await readContext(beside(file));
    if ('problem' in reading) problems.push(reading.problem);
    else loaded[url] = reading.context;
  }
  const known = { read: JSON.stringify(loaded), ...(Object.keys(loaded).length > 0 && { contexts: loaded }) };
  if (shapeFile === undefined) return known;
  const reading = await readShape(beside(shapeFile), `${config.publicUrl}${name}/shape`);
  if ('shape' in reading) return { ...known, read: `${known.read}\n${reading.text}`, shape: reading.shape };
  problems.push(reading.problem);
  return known;
}
