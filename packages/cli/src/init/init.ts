/*
 * `ldes-live init`: a configuration for the data that somebody has, and a first mapping beside it where one is needed.
 *
 * options -> a look at the data -> questions for what was not said (on a terminal, else the usual answer) -> files -> what
 * to do next. What `serve` is then given runs as it stands.
 *
 *     { "url": "http://a.example/rooms.json", "topics": [], "out": ".", "yes": true, "force": false }
 */
import { createInterface, type Interface } from 'node:readline/promises';
import { isStreamError } from '@ldes-live/rdf-stream';
import { isBaseUrl, isStreamName } from '@ldes-live/server';
import { type DocumentFormat, loadPreset, presetNames, readDocument } from '@ldes-live/sources';
import { duration } from '../config/fields.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { isHttpUrl, readSample } from '../map.ts';
import { newToken } from '../token.ts';
import { type Recognition, recognise, SOURCE_KINDS, type SourceKind } from './recognise.ts';
import { skeleton } from './skeleton.ts';
import { configText, type InitAnswers, writeNew } from './write.ts';

/** What `init` was told; it asks for what is absent. */
export interface InitOptions {
  /** Where the data is: http(s), or mqtt(s). */
  readonly url?: string;
  readonly source?: SourceKind;
  readonly preset?: string;
  /** Path of a sample of the data. */
  readonly sample?: string;
  /** How often to poll, as the configuration says it. */
  readonly every?: string;
  readonly publicUrl?: string;
  readonly stream?: string;
  /** Topics of MQTT. */
  readonly topics: readonly string[];
  /** The folder to write into. */
  readonly out: string;
  /** Asks nothing. */
  readonly yes: boolean;
  /** Writes over files that are there. */
  readonly force: boolean;
}

/** Asks a person; nothing typed is `otherwise`. What `read` throws is shown, and the question asked again. */
type Ask = <Answer>(
  text: string,
  otherwise: string,
  read: (answer: string) => Answer | Promise<Answer>,
) => Promise<Answer>;

/** What is known of the data once it was looked at. */
interface Seen {
  readonly url: string | undefined;
  readonly bytes?: Uint8Array;
  readonly recognition?: Recognition | undefined;
}

const COMMAND = 'ldes-live init';
const PUBLIC_URL = 'http://localhost:3000/';
/** How often is usual, where the data does not say it; never where nothing is polled. */
const EVERY: Readonly<Partial<Record<SourceKind, string>>> = { gtfsrt: '20s', gbfs: '', mqtt: '', post: '' };
/** Kinds that have a mapping of their own, or need none; of GBFS some feeds have. */
const MAPPED: readonly SourceKind[] = ['gtfsrt', 'post', 'sensorthings'];
const MAPPED_FEEDS = [undefined, 'station_status', 'vehicle_status', 'free_bike_status'];
const FORMATS: readonly DocumentFormat[] = ['json', 'ndjson', 'geojson', 'csv', 'xml'];

/**
 * Writes a configuration, and a mapping beside it.
 *
 * @returns the exit code
 * @throws {@link StreamError} `ERR_USAGE` - something has to be known that was neither given nor answered
 * @throws {@link StreamError} `ERR_SAMPLE_UNREADABLE`, `ERR_SAMPLE_UNKNOWN` - the sample, or what the URL answers
 * @throws {@link StreamError} `ERR_FILE_EXISTS`, `ERR_FILE_WRITE` - the files; none is written then
 */
export async function init(options: InitOptions, environment: Environment): Promise<number> {
  const { stdin, stdout, stderr, interrupted } = environment;
  // An unknown one is reported before anything is fetched.
  if (options.preset !== undefined) loadPreset(options.preset);
  // Standard output holds results only.
  const terminal = !options.yes && stdin?.isTTY ? createInterface({ input: stdin, output: stderr }) : undefined;
  try {
    const ask = terminal ? asking(terminal, environment) : withoutAsking;
    const seen = await look(options, ask, interrupted);
    const token = newToken();
    const { notes, ...answers } = await answersOf(options, seen, ask, token.hash);
    const { source, publicUrl, stream, mapping } = answers;
    const config = { name: 'config.yml', text: configText(answers) };
    const written = await writeNew(mapping ? [config, mapping] : [config], options);
    const lines = [
      ...(seen.recognition ? [`Of the data: ${seen.recognition.because}.`] : []),
      ...notes,
      `Written: ${written.join(', ')}.`,
      ...(source === 'post' ? tokenLines(`${publicUrl}${stream}`, token.token) : []),
      ...mapLines(options.sample ?? (seen.bytes && seen.url), written[1], answers),
      ...['', 'Publish it, and follow it:', ''],
      `  npx ldes-live serve ${quoted(written[0] as string)}`,
      `  npx ldes-live follow ${publicUrl}${stream} --mal 10`,
    ];
    stdout.write(`${lines.join('\n')}\n`);
    return 0;
  } finally {
    terminal?.close();
  }
}

const withoutAsking: Ask = async (_, otherwise, read) => await read(otherwise);

/** Asks on a terminal, again where an answer is good for nothing. */
function asking(terminal: Interface, { stderr, interrupted }: Environment): Ask {
  // Without it a question that nobody can answer any more would wait for ever.
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const signal = AbortSignal.any([interrupted, closed.signal]);
  return async (text, otherwise, read) => {
    for (;;) {
      const prompt = otherwise === '' ? `${text}: ` : `${text} [${otherwise}]: `;
      const answer = await terminal.question(prompt, { signal }).catch((error) => {
        throw errors.ERR_USAGE({ command: COMMAND, problem: 'The questions were not answered.' }, error);
      });
      try {
        return await read(answer.trim() || otherwise);
      } catch (error) {
        if (!isStreamError(error)) throw error;
        stderr.write(`${String(error.details.problem ?? error.message)}\n`);
      }
    }
  };
}

async function look(options: InitOptions, ask: Ask, signal: AbortSignal): Promise<Seen> {
  if (options.url !== undefined || options.source === 'post') return await lookAt(options, options.url, signal);
  const question = 'Where is the data? A URL of http or mqtt, or post if a program of yours sends it';
  return await ask(question, '', async (answer) => {
    if (answer === 'post') return await lookAt(options, undefined, signal);
    const isUrl = URL.canParse(answer) && /^(https?|mqtts?):$/.test(new URL(answer).protocol);
    if (isUrl) return await lookAt(options, answer, signal);
    throw usage('Give --url, where the data is; or --kind post if a program of yours sends it.');
  });
}

async function lookAt(options: InitOptions, url: string | undefined, signal: AbortSignal): Promise<Seen> {
  const { sample, source, preset } = options;
  // Who knows what it is can go on without the data, which may need a key that only the server has.
  const isKnown = source && (preset !== undefined || source === 'gbfs' || MAPPED.includes(source));
  const place = sample ?? (url !== undefined && isHttpUrl(url) && !isKnown ? url : undefined);
  if (place === undefined) return { url };
  const bytes = await readSample(place, signal);
  const recognition = await recognise(bytes, (feed) => readSample(feed, signal));
  if (typeof recognition !== 'string') return { url, bytes, recognition };
  throw unknown(sample ?? 'the URL', 'a sample of the data itself, or its URL', recognition);
}

/** All that the configuration is written from, and what to say of it. */
async function answersOf(options: InitOptions, seen: Seen, ask: Ask, tokenHash: string) {
  const { url, recognition } = seen;
  const source = options.source ?? (await kindOf(seen, ask));
  const readName = answerIf(isStreamName, '--stream, of a-z, 0-9 and "-", such as garages');
  const { stream = await ask('Name of the stream, the path of its URL', usualName(url, source), readName) } = options;
  const readUrl = answerIf((answer) => isBaseUrl(withSlash(answer)), '--public-url, an http or https URL');
  const { publicUrl = await ask('URL that readers will reach the server at', PUBLIC_URL, readUrl) } = options;
  const isInterval = (answer: string) => duration('100ms').safeParse(answer).success;
  const readInterval = answerIf(isInterval, '--every, a duration with its unit from 100ms to 24h, such as 60s');
  const usual = EVERY[source] ?? '60s';
  const { every = usual && (await ask('How often to ask for the data', usual, readInterval)) } = options;
  const readTopic = answerIf((answer) => answer !== '', '--topic, a filter such as sensors/#');
  const asksTopic = source === 'mqtt' && options.topics.length === 0;
  const topics = asksTopic ? [await ask('Which topics? A filter', 'sensors/#', readTopic)] : options.topics;
  const gbfsFeed = recognition?.gbfsFeed;
  const place = { url: url && sourceUrl(url, source, gbfsFeed), publicUrl: withSlash(publicUrl), gbfsFeed };
  const mapping = planMapping(options.preset, seen, { source, stream, topics });
  return { source, stream, every, topics, tokenHash, ...place, ...mapping };
}

function answerIf(isGood: (answer: string) => boolean, expected: string): (answer: string) => string {
  return (answer) => {
    if (isGood(answer)) return answer;
    throw usage(`"${answer}" cannot be taken: give ${expected}.`);
  };
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

async function kindOf({ url, bytes, recognition }: Seen, ask: Ask): Promise<SourceKind> {
  if (url === undefined) return 'post';
  if (!isHttpUrl(url)) return 'mqtt';
  const kinds = SOURCE_KINDS.join(', ');
  return await ask(`What is it? One of ${kinds}`, recognition?.source ?? '', (answer) => {
    const known = SOURCE_KINDS.find((kind) => kind === answer);
    if (known !== undefined) return known;
    throw unknown(bytes ? 'the sample' : 'the URL', `--kind, one of ${kinds}`);
  });
}

/** What a stream may be called, after where its data is. */
function usualName(url: string | undefined, source: SourceKind): string {
  const last = url === undefined ? '' : (new URL(url).pathname.split('/').findLast((step) => step !== '') ?? '');
  const words = last.replace(/\.[A-Za-z0-9]+$/, '').toLowerCase();
  const name = words
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  if (isStreamName(name)) return name;
  return source === 'post' ? 'members' : source === 'mqtt' ? 'sensors' : 'data';
}

/**
 * Where all of the data is that a URL leads to a part of. Of a feed of GBFS it is the discovery document beside it; in
 * SensorThings what has observations, such as a Datastream, else the service, by the version in its path.
 */
function sourceUrl(url: string, source: SourceKind, gbfsFeed: string | undefined): string {
  if (source === 'gbfs') {
    return new URL(url).pathname.endsWith(`/${gbfsFeed}.json`) ? new URL('gbfs.json', url).href : url;
  }
  const [, service, part = ''] = /^(.*?\/v1\.\d)(?:\/(.*))?$/.exec(url) ?? [];
  if (source !== 'sensorthings' || service === undefined) return url;
  if (/^Observations\?.|.\/Observations$/.test(part)) return url;
  const [some] = /^(MultiDatastreams|Datastreams|FeaturesOfInterest)\([^/]+\)(?=\?|$)/.exec(part) ?? [''];
  return `${service}/${some}`;
}

/** How data becomes RDF: by the preset that was named, by what its kind brings along, or by a skeleton. */
function planMapping(
  preset: string | undefined,
  { bytes, recognition }: Seen,
  { source, stream, topics }: Pick<InitAnswers, 'source' | 'stream' | 'topics'>,
) {
  const none = { preset, lookups: [] as string[], mapping: undefined, notes: [] as string[] };
  const fits = (name: string) => kindOfPreset(name) === (source === 'ndjson' ? 'json' : source);
  if (preset !== undefined) {
    const kind = kindOfPreset(preset);
    if (!fits(preset)) throw usage(`The preset ${preset} is for sources of ${kind}, and this is ${source}.`);
    const lookups = Object.keys(loadPreset(preset).mapping.lookups ?? {});
    const notes = lookups.map((name) => `CHECK: say under lookups in the configuration where "${name}" is.`);
    return { ...none, lookups, notes };
  }
  if (MAPPED.includes(source) || (source === 'gbfs' && MAPPED_FEEDS.includes(recognition?.gbfsFeed))) return none;
  if (bytes === undefined) throw unknown('the data', '--sample FILE, or --preset');
  const format = FORMATS.find((known) => known === source);
  const reading = { format: 'json', ...recognition?.reading, ...(format && { format }) } as const;
  const ofMessage = source === 'mqtt' ? topics : [];
  const made = skeleton(readDocument(bytes, reading), reading, stream, ofMessage);
  if (!made) throw unknown('the sample', 'one that has records with fields');
  const presets = presetNames().filter(fits).join(', ');
  const others = presets === '' ? [] : [`Presets for ${source}, each for --preset: ${presets}.`];
  return { ...none, mapping: { name: `${stream}.mapping.yml`, text: made.text }, notes: [...made.notes, ...others] };
}

function kindOfPreset(name: string): string {
  const { source, mapping } = loadPreset(name);
  return source === 'http' ? (mapping.reads?.format ?? 'json') : source.toLowerCase();
}

function tokenLines(url: string, token: string): string[] {
  return [
    ...['', 'The token that may post is shown this once; the configuration has its hash only:', ''],
    `  ${token}`,
    ...['', 'Post members, each entity with what is true of it now, once it is served:', ''],
    `  curl -H 'authorization: Bearer ${token}' -H 'content-type: text/turtle' \\`,
    `       --data-binary @members.ttl ${url}`,
  ];
}

function mapLines(
  sample: string | undefined,
  mapping: string | undefined,
  { preset, lookups, source, topics }: InitAnswers,
): string[] {
  if (sample === undefined || (mapping === undefined && preset === undefined)) return [];
  const by = mapping === undefined ? `--preset ${preset}` : `--mapping ${quoted(mapping)}`;
  const topic = source === 'mqtt' ? ` --topic ${quoted((topics[0] ?? '').replaceAll(/[+#]/g, 'example'))}` : '';
  const beside = lookups.map((name) => ` --lookup ${name}=FILE`).join('');
  const change = mapping === undefined ? '' : `, and change ${mapping} until it is right`;
  const command = `  npx ldes-live map ${quoted(sample)} ${by}${topic}${beside}`;
  return ['', `See what becomes of the data${change}:`, '', command];
}

/** As a shell takes it. */
function quoted(text: string): string {
  const isPlain = isHttpUrl(text) ? /^[\w:/.%~-]+$/ : /^[\w/.-]+$/;
  return isPlain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function usage(problem: string) {
  return errors.ERR_USAGE({ command: COMMAND, problem });
}

function unknown(place: string, expected: string, because?: string) {
  return errors.ERR_SAMPLE_UNKNOWN({ place, expected, ...(because !== undefined && { because }) });
}
