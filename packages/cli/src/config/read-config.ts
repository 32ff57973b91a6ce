/*
 * A configuration with the files that it names: mappings, shapes and contexts.
 *
 *   live.yml -> { config, files: { vehicles: { read: '...', mapping: CompiledMapping } } }
 *   m.yml:3:38 properties.0.path: "a[" is not a path
 *
 * Paths are seen from the folder of the configuration. All mistakes of all files are told together.
 */
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { type Format, isStreamError, parseQuads, rdf, sh } from '@ldes-live/rdf-stream';
import type { ContentShape } from '@ldes-live/server';
import {
  type CompiledMapping,
  compileMapping,
  type DocumentFormat,
  loadPreset,
  parseMapping,
} from '@ldes-live/sources';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import {
  type ConfigPath,
  formatProblem,
  type ParsedConfig,
  parseConfig,
  readYaml,
  type Variables,
  type YamlText,
} from './parse-config.ts';
import type { Config } from './schema.ts';
import type { SourceConfig } from './sources.ts';

/** A configuration, and what the files that it names hold. */
export interface LoadedConfig {
  readonly config: Config;
  /** By the names of the streams. */
  readonly files: Readonly<Record<string, StreamFiles>>;
}

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

/** Something that was read from a file, or a line for each reason why it cannot be used. */
type Reading<Value> = Value | { readonly problems: readonly string[] };

/**
 * Reads a configuration file, and the mappings, shapes and contexts that it names.
 *
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE` - there is no such file, or it cannot be read
 * @throws {@link StreamError} `ERR_CONFIG_INVALID` - anything in it, or in a file that it names, is wrong
 */
export async function readConfig(file: string, variables: Variables): Promise<LoadedConfig> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw errors.ERR_CONFIG_UNREADABLE({ file, reason: reasonOf(error) }, error);
  }
  const parsed = parseConfig(text, file, variables);
  const problems: string[] = [];
  const files: Record<string, StreamFiles> = {};
  for (const [name, { source }] of Object.entries(parsed.config.streams)) {
    const reading = await readStreamFiles({ ...parsed, file, name }, source);
    if ('problems' in reading) problems.push(...reading.problems);
    else files[name] = reading;
  }
  if (problems.length > 0) throw errors.ERR_CONFIG_INVALID({ file, problems });
  return { config: parsed.config, files };
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** A stream of a configuration that was read. */
interface StreamPlace extends ParsedConfig {
  /** That of the configuration. */
  readonly file: string;
  readonly name: string;
}

async function readStreamFiles(place: StreamPlace, source: SourceConfig): Promise<Reading<StreamFiles>> {
  if (source.kind === 'gtfsRt' || source.kind === 'timetable') return { read: '' };
  return source.kind === 'post' ? await readPostFiles(place, source) : await readMappingOf(place, source);
}

type Mapped = Extract<SourceConfig, { mapping: unknown }>;

async function readMappingOf(place: StreamPlace, source: Mapped): Promise<Reading<StreamFiles>> {
  const { publicUrl } = place.config;
  const text = await mappingTextOf(place, source);
  if ('problems' in text) return text;
  const format = source.kind === 'documents' ? { format: source.format } : {};
  const outcome = compiledMapping(text, { publicUrl, streamUrl: `${publicUrl}${place.name}`, ...format });
  if ('problems' in outcome) return outcome;
  const problems = source.kind === 'documents' ? lookupProblems(place, source, outcome.mapping) : [];
  return problems.length > 0 ? { problems } : { read: JSON.stringify(text.value), mapping: outcome.mapping };
}

async function mappingTextOf({ file, name, yaml }: StreamPlace, { mapping }: Mapped): Promise<Reading<MappingText>> {
  if ('preset' in mapping) return presetText(mapping.preset);
  if ('file' in mapping) return await readMapping(resolve(dirname(file), mapping.file));
  const at = ['streams', name, 'source', 'mapping'];
  return { value: mapping.inline, file, locate: (path, part) => yaml.locate([...at, ...path], part) };
}

/** The lookups that the mapping has and the configuration lacks, and the other way round. */
function lookupProblems(
  { file, name, yaml }: StreamPlace,
  { lookups = {} }: Extract<Mapped, { kind: 'documents' }>,
  mapping: CompiledMapping,
): string[] {
  const known = Object.keys(mapping.lookups);
  const told = (lookup: string, message: string) =>
    formatProblem(file, { ...yaml.locate(['streams', name, 'source', 'lookups', lookup], 'key'), message });
  const lacking = known.filter((lookup) => !Object.hasOwn(lookups, lookup));
  const unknown = Object.keys(lookups).filter((lookup) => !known.includes(lookup));
  return [
    ...lacking.map((lookup) => told(lookup, `found nothing, expected the URL of what the mapping calls ${lookup}`)),
    ...unknown.map((lookup) => told(lookup, 'the mapping has no lookup of this name')),
  ];
}

/** A mapping as it was written down, before it is known whether it is one. */
export interface MappingText {
  readonly value: unknown;
  /** What it stands in, for messages. */
  readonly file: string;
  /** Where something stands in it; absent where it has no lines, as those that ship. */
  readonly locate?: YamlText['locate'];
}

/**
 * Reads the file of a mapping, YAML or JSON.
 *
 * @param file - its path, by which messages name it
 */
export async function readMapping(file: string): Promise<Reading<MappingText>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { problems: [`${file}: it cannot be read (${reasonOf(error)})`] };
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

/** Where what a mapping makes is published. */
interface MappingPlace {
  readonly publicUrl: string;
  readonly streamUrl: string;
  /** What the documents are written in, where the source says so; the mapping may not say otherwise. */
  readonly format?: DocumentFormat;
}

/** Compiles a mapping; each mistake is told with file, line, column and path. */
export function compiledMapping(
  { value, file, locate }: MappingText,
  { publicUrl, streamUrl, format: stated }: MappingPlace,
): Reading<{ readonly mapping: CompiledMapping }> {
  const told = (path: ConfigPath, message: string) => {
    if (!locate) return `${file}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`;
    return formatProblem(file, { ...locate(path, 'value'), message });
  };
  try {
    const parsed = parseMapping(value);
    const own = parsed.reads?.format;
    const format = stated ?? own;
    if (own !== undefined && own !== format) {
      const message = `found ${own}, expected ${format}, as the key of the source says, or the key left out`;
      return { problems: [told(['reads', 'format'], message)] };
    }
    const mapping = compileMapping(format === undefined ? parsed : { ...parsed, reads: { ...parsed.reads, format } }, {
      publicUrl,
      streamUrl,
      ...(locate && { lineOf: (path: ConfigPath) => locate(path, 'value').line }),
      toQuads: (jsonLd) => parseQuads(JSON.stringify(jsonLd), 'jsonld', streamUrl),
    });
    return { mapping };
  } catch (error) {
    if (!isStreamError(error, 'ERR_MAPPING_INVALID')) throw error;
    const mistakes = error.details.problems as readonly { path: readonly (string | number)[]; message: string }[];
    const problems = mistakes.map(({ path, message }) => told(path, message));
    const last = `${problems.at(-1)} (others may show once the form is right)`;
    return { problems: error.details.more === true ? problems.with(-1, last) : problems };
  }
}

async function readPostFiles(
  { file, name, config }: StreamPlace,
  { shape: shapeFile, contexts = {} }: Extract<SourceConfig, { kind: 'post' }>,
): Promise<Reading<StreamFiles>> {
  const beside = (named: string) => resolve(dirname(file), named);
  const problems: string[] = [];
  const loaded: Record<string, object> = {};
  for (const [url, named] of Object.entries(contexts)) {
    const reading = await readContext(beside(named));
    if ('problems' in reading) problems.push(...reading.problems);
    else loaded[url] = reading.context;
  }
  const shapeUrl = `${config.publicUrl}${name}/shape`;
  const reading = shapeFile === undefined ? undefined : await readShape(beside(shapeFile), shapeUrl);
  if (reading && 'problems' in reading) problems.push(...reading.problems);
  if (problems.length > 0) return { problems };
  const known = Object.keys(loaded).length > 0 ? { contexts: loaded } : {};
  const shape = reading as Exclude<typeof reading, { problems: unknown }>;
  if (!shape) return { read: JSON.stringify(loaded), ...known };
  return { read: `${JSON.stringify(loaded)}\n${shape.text}`, ...known, shape: shape.shape };
}

/** Reads the file of a JSON-LD context: a document with an `@context`. */
async function readContext(file: string): Promise<Reading<{ readonly context: object }>> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { problems: [`${file}: it cannot be read (${code ?? message})`] };
  }
  if (typeof json === 'object' && json !== null && '@context' in json) return { context: json };
  return { problems: [`${file}: expected a JSON document with @context`] };
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.ttl': 'turtle',
  '.trig': 'trig',
  '.nt': 'ntriples',
  '.nq': 'nquads',
  '.jsonld': 'jsonld',
  '.json': 'jsonld',
};

type ShapeReading = Reading<{ readonly shape: ContentShape; readonly text: string }>;

/**
 * Reads the SHACL shape of what the members of a stream say; the ending of the name of its file says the format.
 *
 * @param baseIri - what relative IRIs in it are resolved against: the URL that it is published at
 */
async function readShape(file: string, baseIri: string): Promise<ShapeReading> {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format === undefined) {
    return { problems: [`${file}: its name has to end in one of ${Object.keys(FORMATS).join(', ')}`] };
  }
  try {
    const text = await readFile(file, 'utf8');
    return shapeOf(await parseQuads(text, format, baseIri), text, file);
  } catch (error) {
    return { problems: [`${file}: it cannot be read (${isStreamError(error) ? error.message : reasonOf(error)})`] };
  }
}

/** The shape of members is the one that no other refers to. */
function shapeOf(quads: readonly Quad[], text: string, file: string): ShapeReading {
  const named = quads
    .filter(({ predicate, object }) => predicate.value === rdf.type && object.value === sh.NodeShape)
    .filter(({ subject }) => subject.termType === 'NamedNode')
    .map(({ subject }) => subject.value);
  const referred = new Set(
    quads.filter(({ object }) => object.termType === 'NamedNode').map(({ object }) => object.value),
  );
  const [iri, ...others] = [...new Set(named)].filter((candidate) => !referred.has(candidate));
  if (iri !== undefined && others.length === 0) return { shape: { iri, quads }, text };
  const found = iri === undefined ? 'none' : `${1 + others.length}`;
  const expected = 'one sh:NodeShape with an IRI that no other refers to; sh:or makes one of several';
  return { problems: [`${file}: found ${found}, expected ${expected}`] };
}
