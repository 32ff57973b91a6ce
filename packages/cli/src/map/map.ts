import { basename, resolve } from 'node:path';
import { isStreamName } from '@ldes-live/server';
import {
  type CompiledMapping,
  loadPreset,
  type MappedDocument,
  prefixesAt,
  presetNames,
  readDocument,
} from '@ldes-live/sources';
import type { MapCommand } from '../command-line/map-command.ts';
import { compiledMapping } from '../config/files/compiled-mapping.ts';
import type { MappingText } from '../config/files/mapping-text.ts';
import { presetText, readMapping } from '../config/files/read-mapping.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { formatOfName } from '../sample/format-of-name.ts';
import { readSample } from '../sample/read-sample.ts';
import { mapReport } from './map-report.ts';
import { sampleRdf } from './sample-rdf.ts';

/** The server that IRIs of a sample are made for: that of a first try. */
const PUBLIC_URL = 'http://localhost:3000/';

type Sampled = Extract<MapCommand, { kind: 'map' }>;

/**
 * Shows what a mapping makes of a sample, or a preset as a file to start from.
 *
 * @returns the exit code: 0 when every record was mapped, 3 when some were skipped, 1 when none was mapped
 * @throws {@link StreamError} `ERR_MAPPING_FILE`, `ERR_PRESET_UNKNOWN`, `ERR_SAMPLE_UNREADABLE`, those of `readDocument`
 */
export async function map(command: MapCommand, edge: Environment): Promise<number> {
  const { stdout, stderr } = edge;
  switch (command.kind) {
    case 'listPresets':
      stdout.write(presetList());
      return 0;
    case 'printPreset':
      stdout.write(loadPreset(command.preset).text);
      return 0;
    case 'map': {
      const text = await textOf(command.mapping);
      const mapped = await mapSample(command, text, edge);
      const shown = mapped.entities.slice(0, command.count);
      stdout.write(sampleRdf(shown, command.format, prefixesOf(text.value, placeOf(command))));
      stderr.write(mapReport(mapped, await mapped.unmapped(), shown.length));
      if (mapped.entities.length === 0) return 1;
      return mapped.problems.length > 0 ? 3 : 0;
    }
  }
}

async function mapSample(command: Sampled, text: MappingText, { interrupted }: Environment): Promise<MappedDocument> {
  const { sample, lookups, topic } = command;
  const named = formatOfName(sample);
  // What the mapping says of itself counts: the name of a file is a guess.
  const outcome = compiledMapping(text, {
    ...placeOf(command),
    ...(named !== undefined && !saysFormat(text.value) && { format: named }),
  });
  if ('problems' in outcome) throw errors.ERR_MAPPING_FILE({ file: text.file, problems: outcome.problems });
  const { mapping } = outcome;
  const document = readDocument(await readSample(sample, interrupted), mapping.reading);
  return await mapping.map({
    document,
    lookups: await lookupDocuments(mapping, lookups, interrupted),
    ...(topic !== undefined && { topic: topic.split('/') }),
  });
}

/** Where the stream would be: it is called like its mapping, as `init` does it. */
function placeOf({ mapping }: Sampled): { readonly publicUrl: string; readonly streamUrl: string } {
  const [, name = ''] = ('file' in mapping && /^(.+)\.mapping\.[^.]+$/.exec(basename(mapping.file))) || [];
  return { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}${isStreamName(name) ? name : 'sample'}` };
}

async function lookupDocuments(
  { lookups }: CompiledMapping,
  samples: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const problem = [
    ...Object.keys(lookups)
      .filter((name) => !Object.hasOwn(samples, name))
      .map((name) => `Give --lookup ${name}=FILE: the mapping looks things up in it.`),
    ...Object.keys(samples)
      .filter((name) => !Object.hasOwn(lookups, name))
      .map((name) => `The mapping has no lookup "${name}".`),
  ][0];
  if (problem !== undefined) throw errors.ERR_USAGE({ command: 'ldes-live map', problem });
  const documents: Record<string, unknown> = {};
  for (const [name, place] of Object.entries(samples)) {
    documents[name] = readDocument(await readSample(place, signal), lookups[name]?.reads ?? {});
  }
  return documents;
}

async function textOf(choice: Sampled['mapping']): Promise<MappingText> {
  if ('preset' in choice) return presetText(choice.preset);
  const reading = await readMapping(resolve(choice.file));
  if ('problems' in reading) throw errors.ERR_MAPPING_FILE({ file: choice.file, problems: reading.problems });
  return { ...reading, file: choice.file };
}

function presetList(): string {
  const names = presetNames();
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${loadPreset(name).title}\n`).join('');
}

function saysFormat(mapping: unknown): boolean {
  const { reads } = (mapping ?? {}) as { readonly reads?: { readonly format?: unknown } };
  return reads?.format !== undefined;
}

/** The prefixes that a mapping declares, if it is one that does. */
function prefixesOf(mapping: unknown, place: ReturnType<typeof placeOf>): Readonly<Record<string, string>> {
  const { prefixes } = (mapping ?? {}) as { readonly prefixes?: Readonly<Record<string, string>> };
  return prefixesAt(prefixes, place);
}
