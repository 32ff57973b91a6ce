/*
 * `ldes-live map`: what a mapping makes of a sample, and what it leaves out.
 *
 * file or URL -> `readSample` -> document by the mapping's own reading -> the compiled mapping -> RDF on standard output,
 * and on standard error what a person should know: records that failed, fields that nothing says anything of.
 *
 *     { "sample": "rooms.json", "mapping": { "file": "rooms.mapping.yml" }, "lookups": {}, "format": "turtle" }
 *     2 records: 2 mapped, 0 not.
 *     Neither mapped nor left out:
 *       floor
 */

import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { type Format, formatDuration, relabelBlankNodes, prefixes as usual, writeQuads } from '@ldes-live/rdf-stream';
import { isStreamName } from '@ldes-live/server';
import {
  type CompiledMapping,
  type DocumentFormat,
  loadPreset,
  type MappedDocument,
  prefixesAt,
  presetNames,
  readDocument,
} from '@ldes-live/sources';
import { given, isUrl } from './config/forms.ts';
import { compiledMapping, type MappingText, presetText, readMapping } from './config/read-config.ts';
import type { Environment } from './environment.ts';
import { errors } from './errors.ts';
import { plural, printText } from './terminal.ts';

export interface MapOptions {
  /** Path or http URL of the sample. */
  readonly sample: string;
  readonly mapping: { readonly file: string } | { readonly preset: string };
  /** Path or http URL of each document that is looked up, by name. */
  readonly lookups: Readonly<Record<string, string>>;
  /** The topic that the sample came by; absent where it came by none. */
  readonly topic?: string;
  readonly format: Format;
  /** How many records to show; all when absent. */
  readonly count?: number;
}

/** The server that IRIs of a sample are made for: that of a first try. */
const PUBLIC_URL = 'http://localhost:3000/';
const TIMEOUT_MS = 30_000;
const LIMIT_BYTES = 64 * 1024 * 1024;

const FORMATS: Readonly<Record<string, DocumentFormat>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.geojson': 'geojson',
  '.csv': 'csv',
  '.xml': 'xml',
};

/**
 * Shows what a mapping makes of a sample; the exit code is 0 when every record was mapped, 3 when some were not, 1 when none
 * was.
 */
export async function map(options: MapOptions, { stdout, stderr, interrupted }: Environment): Promise<number> {
  const { mapping: choice } = options;
  const text = 'preset' in choice ? presetText(choice.preset) : await readMapping(choice.file);
  const mapped = await mapSample(options, text, interrupted);
  const shown = mapped.entities.slice(0, options.count);
  // Labels are of one record: in one document those of two must not meet.
  const quads = shown.flatMap((entity, index) => relabelBlankNodes(entity.quads(), index + 1));
  const { prefixes } = keysOf(text);
  const rdf = writeQuads(quads, options.format, { ...usual, ...prefixesAt(prefixes, placeOf(options)) });
  await printText(stdout, rdf === '' || rdf.endsWith('\n') ? rdf : `${rdf}\n`);
  stderr.write(report(mapped, await mapped.unmapped(), shown.length));
  if (mapped.entities.length === 0) return 1;
  return mapped.problems.length > 0 ? 3 : 0;
}

export async function printPreset(
  { preset }: { readonly preset: string },
  { stdout }: Pick<Environment, 'stdout'>,
): Promise<void> {
  await printText(stdout, loadPreset(preset).text);
}

export async function listPresets(_: unknown, { stdout }: Pick<Environment, 'stdout'>): Promise<void> {
  const names = presetNames();
  const width = Math.max(...names.map((name) => name.length));
  await printText(stdout, names.map((name) => `${name.padEnd(width)}  ${loadPreset(name).title}\n`).join(''));
}

async function mapSample(options: MapOptions, text: MappingText, signal: AbortSignal): Promise<MappedDocument> {
  const { sample, lookups, topic } = options;
  const named = FORMATS[extname(isUrl(sample) ? new URL(sample).pathname : sample).toLowerCase()];
  // What the mapping says of itself counts: the ending of a name is a guess.
  const format = keysOf(text).reads?.format === undefined ? named : undefined;
  const mapping = compiledMapping(text, { ...placeOf(options), ...given({ format }) });
  const document = readDocument(await readSample(sample, signal), mapping.reading);
  return await mapping.map({
    document,
    lookups: await lookupDocuments(mapping, lookups, signal),
    ...given({ topic: topic?.split('/') }),
  });
}

/** Where the stream would be: it is called like its mapping, as `init` does it. */
function placeOf({ mapping }: MapOptions): { readonly publicUrl: string; readonly streamUrl: string } {
  const [, name = ''] = ('file' in mapping && /^(.+)\.mapping\.[^.]+$/.exec(basename(mapping.file))) || [];
  return { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}${isStreamName(name) ? name : 'sample'}` };
}

/** What is looked at of a mapping before it is known whether it is one. */
function keysOf({ value }: MappingText) {
  return (value ?? {}) as {
    readonly reads?: { readonly format?: unknown };
    readonly prefixes?: Readonly<Record<string, string>>;
  };
}

async function lookupDocuments(
  { lookups }: CompiledMapping,
  samples: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const missing = Object.keys(lookups).find((name) => !Object.hasOwn(samples, name));
  const unknown = Object.keys(samples).find((name) => !Object.hasOwn(lookups, name));
  if (missing !== undefined) throw usage(`Give --lookup ${missing}=FILE: the mapping needs this lookup document.`);
  if (unknown !== undefined) throw usage(`The mapping has no lookup "${unknown}".`);
  const documents: Record<string, unknown> = {};
  for (const [name, place] of Object.entries(samples)) {
    documents[name] = readDocument(await readSample(place, signal), lookups[name]?.reads ?? {});
  }
  return documents;
}

function usage(problem: string) {
  return errors.ERR_USAGE({ command: 'ldes-live map', problem });
}

function report(
  { records, entities, problems, findings }: MappedDocument,
  unmapped: readonly string[],
  shown: number,
): string {
  const hidden = entities.length > shown ? ` (${shown} shown)` : '';
  const lines = [`${plural(records, 'record')}: ${entities.length} mapped${hidden}, ${records - entities.length} not.`];
  lines.push(...problems.map(({ message }) => `  ${message.replaceAll(/\s+/g, ' ')}`));
  lines.push(...Object.entries(findings).map(([finding, count]) => `Noticed: ${finding}, ${plural(count, 'time')}.`));
  if (records === 0) lines.push('The sample has no records. Set "records" of the mapping to their path.');
  else if (unmapped.length === 0) lines.push('Every field of the records is mapped, or listed in leftOut.');
  else lines.push('Neither mapped nor in leftOut:', ...unmapped.map((path) => `  ${path}`));
  return `${lines.join('\n')}\n`;
}

/** Reads a sample of up to 64 MiB from a file or an http or https URL, or throws ERR_SAMPLE_UNREADABLE. */
export async function readSample(place: string, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<Uint8Array> {
  if (!isUrl(place)) return await contentOf(createReadStream(place)).catch((error) => unreadable(place, error));
  const late = new AbortController();
  // Not by AbortSignal.timeout: within AbortSignal.any, Node.js 20 forgets it before its time.
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${formatDuration(timeoutMs)}`)), timeoutMs);
  try {
    const response = await fetch(place, { signal: AbortSignal.any([signal, late.signal]) });
    if (response.status === 200 && response.body) return await contentOf(response.body);
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  } catch (error) {
    const { protocol, host, pathname } = new URL(place);
    // Queries and users hold keys.
    return unreadable(`${protocol}//${host}${pathname}`, error);
  } finally {
    clearTimeout(timer);
  }
}

async function contentOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LIMIT_BYTES) throw new Error(`larger than ${LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreadable(place: string, error: unknown): never {
  const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  const reason = (typeof code === 'string' ? code : cause?.code) ?? message;
  throw errors.ERR_SAMPLE_UNREADABLE({ place, reason }, error);
}
