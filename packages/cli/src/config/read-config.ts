/*
 * A configuration with the files that it names: mappings, shapes and contexts.
 *
 *   live.yml -> { config, files: { vehicles: { read: '...', mapping: CompiledMapping } } }
 *   m.yml:3:38 properties.0.path: "a[" is not a path
 *
 * Paths are seen from the folder of the configuration. All mistakes of all files are told together.
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { type Format, isStreamError, parseQuads, rdf, sh } from '@ldes-live/rdf-stream';
import { type ContentShape, checkTls, type TlsCredentials } from '@ldes-live/server';
import {
  type CompiledMapping,
  compileMapping,
  type DocumentFormat,
  loadPreset,
  parseMapping,
} from '@ldes-live/sources';
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

export interface LoadedConfig {
  readonly config: Config;
  readonly files: Readonly<Record<string, StreamFiles>>;
  /** What the files of `tls` hold. */
  readonly tls?: TlsCredentials;
}

export interface StreamFiles {
  /** What was read, as one text: equal where nothing has changed. */
  readonly read: string;
  readonly mapping?: CompiledMapping;
  readonly shape?: ContentShape;
  readonly contexts?: Readonly<Record<string, object>>;
}

/**
 * Reads a configuration, and the mappings, shapes and contexts that it names; throws ERR_CONFIG_UNREADABLE, or
 * ERR_CONFIG_INVALID with all that is wrong in any of them.
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
  const attempt: Attempt = async (reading) => {
    try {
      return await reading;
    } catch (error) {
      if (!isStreamError(error, 'ERR_MAPPING_FILE')) throw error;
      problems.push(...(error.details.problems as readonly string[]));
      return undefined;
    }
  };
  const files: Record<string, StreamFiles> = {};
  for (const [name, { source }] of Object.entries(parsed.config.streams)) {
    files[name] = await readStreamFiles({ ...parsed, file, name }, source, attempt);
  }
  const { tls: named } = parsed.config;
  const tls = named && (await attempt(readTls(dirname(file), named)));
  if (problems.length > 0) throw errors.ERR_CONFIG_INVALID({ file, problems });
  return { config: parsed.config, files, ...(tls && { tls }) };
}

/** Takes down what is wrong with a file, so that all of it is told together; `undefined` stands for the file then. */
type Attempt = <Value>(reading: Promise<Value>) => Promise<Value | undefined>;

/** What is wrong with a file that a configuration names; `map` shows it as it is. */
const faulty = (file: string, ...problems: readonly string[]) => errors.ERR_MAPPING_FILE({ file, problems });
const unreadable = (file: string, error: unknown) => faulty(file, `${file}: it cannot be read (${reasonOf(error)})`);

function reasonOf(error: unknown): string {
  return isStreamError(error) ? error.message : ((error as NodeJS.ErrnoException).code ?? String(error));
}

async function textOf(file: string): Promise<string> {
  try {
    // Who waits for a pipe that nobody writes to can neither be reloaded nor stopped.
    if (!(await stat(file)).isFIFO()) return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  throw faulty(file, `${file}: it is a pipe, and no file that can be read again`);
}

async function readTls(folder: string, named: NonNullable<Config['tls']>): Promise<TlsCredentials> {
  const files = { cert: resolve(folder, named.cert), key: resolve(folder, named.key) };
  const tls = { cert: await textOf(files.cert), key: await textOf(files.key) };
  try {
    checkTls(tls);
  } catch (error) {
    if (!isStreamError(error, 'ERR_TLS_UNUSABLE')) throw error;
    const { part, reason } = error.details as { part: keyof TlsCredentials; reason: string };
    throw faulty(files[part], `${files[part]}: it cannot be the ${part} of tls (${reason})`);
  }
  return tls;
}

interface StreamPlace extends ParsedConfig {
  readonly file: string;
  readonly name: string;
}

async function readStreamFiles(place: StreamPlace, source: SourceConfig, attempt: Attempt): Promise<StreamFiles> {
  if (source.kind === 'post') return await readPostFiles(place, source, attempt);
  return ('mapping' in source && (await attempt(readMappingOf(place, source)))) || { read: '' };
}

type Mapped = Extract<SourceConfig, { mapping: unknown }>;

async function readMappingOf(place: StreamPlace, source: Mapped): Promise<StreamFiles> {
  const { publicUrl } = place.config;
  const text = await mappingTextOf(place, source);
  const format = source.kind === 'documents' ? { format: source.format } : {};
  const mapping = compiledMapping(text, { publicUrl, streamUrl: `${publicUrl}${place.name}`, ...format });
  if (source.kind === 'documents') checkLookups(place, source, mapping);
  return { read: JSON.stringify(text.value), mapping };
}

async function mappingTextOf({ file, name, yaml }: StreamPlace, { mapping }: Mapped): Promise<MappingText> {
  if ('preset' in mapping) return presetText(mapping.preset);
  if ('file' in mapping) return await readMapping(resolve(dirname(file), mapping.file));
  const at = ['streams', name, 'source', 'mapping'];
  return { value: mapping.inline, file, locate: (path, part) => yaml.locate([...at, ...path], part) };
}

/** Finds the lookups that the mapping has and the configuration lacks, and the other way round. */
function checkLookups(
  { file, name, yaml }: StreamPlace,
  { lookups = {} }: Extract<Mapped, { kind: 'documents' }>,
  mapping: CompiledMapping,
): void {
  const known = Object.keys(mapping.lookups);
  const told = (lookup: string, message: string) =>
    formatProblem(file, { ...yaml.locate(['streams', name, 'source', 'lookups', lookup], 'key'), message });
  const lacking = known.filter((lookup) => !Object.hasOwn(lookups, lookup));
  const unknown = Object.keys(lookups).filter((lookup) => !known.includes(lookup));
  const problems = [
    ...lacking.map((lookup) => told(lookup, `found nothing, expected the URL of the lookup ${lookup} of the mapping`)),
    ...unknown.map((lookup) => told(lookup, 'the mapping has no lookup of this name')),
  ];
  if (problems.length > 0) throw faulty(file, ...problems);
}

/** A mapping as it was written down, before it is known whether it is one. */
export interface MappingText {
  readonly value: unknown;
  /** What it stands in, for messages. */
  readonly file: string;
  /** Where something stands in it; absent where it has no lines, as those that ship. */
  readonly locate?: YamlText['locate'];
}

/** Reads the file of a mapping, YAML or JSON, or throws ERR_MAPPING_FILE. */
export async function readMapping(file: string): Promise<MappingText> {
  const yaml = readYaml(await textOf(file));
  if ('mistakes' in yaml) throw faulty(file, ...yaml.mistakes.map((mistake) => formatProblem(file, mistake)));
  return { value: yaml.value, file, locate: yaml.locate };
}

/** A mapping that ships, or ERR_PRESET_UNKNOWN. */
export function presetText(name: string): MappingText {
  return { value: loadPreset(name).mapping, file: `preset ${name}` };
}

interface MappingPlace {
  readonly publicUrl: string;
  readonly streamUrl: string;
  /** What the documents are written in, where the source says so; the mapping may not say otherwise. */
  readonly format?: DocumentFormat;
}

/** Compiles a mapping, or throws ERR_MAPPING_FILE: each mistake with file, line, column and path. */
export function compiledMapping(
  { value, file, locate }: MappingText,
  { publicUrl, streamUrl, format: stated }: MappingPlace,
): CompiledMapping {
  const told = (path: ConfigPath, message: string) => {
    if (!locate) return `${file}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`;
    return formatProblem(file, { ...locate(path, 'value'), message });
  };
  try {
    const parsed = parseMapping(value);
    const own = parsed.reads?.format;
    const format = stated ?? own;
    if (own !== undefined && own !== format) {
      const message = `found ${own}, expected ${format}, as the key of the source says, or no key`;
      throw faulty(file, told(['reads', 'format'], message));
    }
    return compileMapping(format === undefined ? parsed : { ...parsed, reads: { ...parsed.reads, format } }, {
      publicUrl,
      streamUrl,
      ...(locate && { lineOf: (path: ConfigPath) => locate(path, 'value').line }),
      toQuads: (jsonLd) => parseQuads(JSON.stringify(jsonLd), 'jsonld', streamUrl),
    });
  } catch (error) {
    if (!isStreamError(error, 'ERR_MAPPING_INVALID')) throw error;
    const mistakes = error.details.problems as readonly { path: readonly (string | number)[]; message: string }[];
    const problems = mistakes.map(({ path, message }) => told(path, message));
    const last = `${problems.at(-1)} (more mistakes may appear when these are corrected)`;
    throw faulty(file, ...(error.details.more === true ? problems.with(-1, last) : problems));
  }
}

async function readPostFiles(
  { file, name, config }: StreamPlace,
  { shape: shapeFile, contexts: named = {} }: Extract<SourceConfig, { kind: 'post' }>,
  attempt: Attempt,
): Promise<StreamFiles> {
  const folder = dirname(file);
  const contexts: Record<string, object> = {};
  for (const [url, contextFile] of Object.entries(named)) {
    contexts[url] = (await attempt(readContext(resolve(folder, contextFile)))) ?? {};
  }
  const shapeUrl = `${config.publicUrl}${name}/shape`;
  const shape = shapeFile === undefined ? undefined : await attempt(readShape(resolve(folder, shapeFile), shapeUrl));
  return {
    read: JSON.stringify([contexts, shape?.text]),
    ...(Object.keys(contexts).length > 0 && { contexts }),
    ...(shape && { shape: shape.shape }),
  };
}

async function readContext(file: string): Promise<object> {
  const text = await textOf(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw unreadable(file, error);
  }
  if (typeof json === 'object' && json !== null && '@context' in json) return json;
  throw faulty(file, `${file}: expected a JSON document with @context`);
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.ttl': 'turtle',
  '.trig': 'trig',
  '.nt': 'ntriples',
  '.nq': 'nquads',
  '.jsonld': 'jsonld',
  '.json': 'jsonld',
};

/** Reads the SHACL shape of what members say. Relative IRIs in it are resolved against the URL that it is published at. */
async function readShape(
  file: string,
  baseIri: string,
): Promise<{ readonly shape: ContentShape; readonly text: string }> {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format === undefined) {
    throw faulty(file, `${file}: its name must end in one of ${Object.keys(FORMATS).join(', ')}`);
  }
  const text = await textOf(file);
  const quads = await parseQuads(text, format, baseIri).catch((error) => {
    throw unreadable(file, error);
  });
  // The shape of members is the one that no other refers to.
  const named = quads
    .filter(({ predicate, object }) => predicate.value === rdf.type && object.value === sh.NodeShape)
    .flatMap(({ subject }) => (subject.termType === 'NamedNode' ? subject.value : []));
  const referred = new Set(quads.flatMap(({ object }) => (object.termType === 'NamedNode' ? object.value : [])));
  const [iri, ...others] = [...new Set(named)].filter((candidate) => !referred.has(candidate));
  if (iri !== undefined && others.length === 0) return { shape: { iri, quads }, text };
  const found = iri === undefined ? 'none' : `${1 + others.length}`;
  const expected = 'one sh:NodeShape with an IRI that no other shape refers to; use sh:or to combine several';
  throw faulty(file, `${file}: found ${found}, expected ${expected}`);
}
