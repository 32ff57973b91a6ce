/*
 * `ldes-live init`: a configuration for the data that somebody has, each of whose lines says what it is for, and a first
 * mapping beside it where one is needed. What `serve` is then given runs as it stands.
 *
 * options -> a look at the data -> questions for what was not said (on a terminal, else the usual answer) -> new files ->
 * what to do next
 *
 *     { "url": "http://a.example/rooms.json", "topics": [], "out": ".", "yes": true, "force": false }
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { isStreamError } from '@ldes-live/rdf-stream';
import { isBaseUrl, isStreamName } from '@ldes-live/server';
import { type DocumentFormat, loadPreset, presetNames, readDocument } from '@ldes-live/sources';
import { duration } from '../config/fields.ts';
import { isLoopback, isUrl, SOURCE_KINDS, SOURCE_SCHEMES, type SourceKind, sessionName } from '../config/forms.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { readSample } from '../map.ts';
import { printText } from '../terminal.ts';
import { newToken } from '../token.ts';
import { RENTAL_FEEDS, type Recognition, recognise } from './recognise.ts';
import { flow, skeleton } from './skeleton.ts';

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

/** All that a configuration is written from. */
type Answers = Awaited<ReturnType<typeof answersOf>>;

/** What is known of a kind of source. */
interface Kind {
  /** Its key in a configuration, where it is not called so, and what that says. */
  readonly key?: string;
  readonly remark?: string;
  /** How often is usual, where the data does not say it; empty where nothing is polled. */
  readonly every?: string;
  /** The usual name of a stream. */
  readonly name?: string;
  /** Whether it has a mapping of its own, or needs none; of GBFS some feeds have. */
  readonly isMapped?: boolean;
}

const COMMAND = 'ldes-live init';
const KINDS: Readonly<Partial<Record<SourceKind, Kind>>> = {
  gtfsrt: { key: 'gtfsRt', remark: 'a GTFS-Realtime feed', every: '20s', isMapped: true },
  gbfs: { remark: 'the discovery document, which lists the other feeds', every: '' },
  sensorthings: {
    key: 'sensorThings',
    remark: 'the service, or a part of it, with the observations',
    isMapped: true,
  },
  mqtt: { remark: 'the broker', every: '', name: 'sensors' },
  post: { every: '', name: 'members', isMapped: true },
};
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
    const answers = await answersOf(options, seen, ask, token.hash);
    const { source, publicUrl, stream, mapping, notes } = answers;
    const files = { 'config.yml': configText(answers), ...(mapping && { [`${stream}.mapping.yml`]: mapping }) };
    const written = await writeNew(files, options);
    const lines = [
      ...(seen.recognition ? [`The data: ${seen.recognition.because}.`] : []),
      ...notes,
      `Written: ${written.join(', ')}.`,
      ...(source === 'post' ? tokenLines(`${publicUrl}${stream}`, token.token) : []),
      ...mapLines(options.sample ?? (seen.bytes && seen.url), written[1], answers),
      ...['', 'Publish it, and follow it:', ''],
      `  npx ldes-live serve ${quoted(written[0] as string)}${isAtPort80(publicUrl) ? ' --port 80' : ''}`,
      `  npx ldes-live follow ${publicUrl}${stream} --mal 10`,
    ];
    await printText(stdout, `${lines.join('\n')}\n`);
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

async function look({ url, source, sample, preset }: InitOptions, ask: Ask, signal: AbortSignal): Promise<Seen> {
  // Who knows what it is can go on without the data, which may need a key that only the server has.
  const isKnown = source && (preset !== undefined || source === 'gbfs' || KINDS[source]?.isMapped);
  const lookAt = async (answer: string): Promise<Seen> => {
    const isPlace = isUrl(answer, SOURCE_SCHEMES);
    if (!isPlace && answer !== 'post') {
      throw usage('Give --url with the URL of the data, or --kind post if your program sends the data.');
    }
    const seen = { url: isPlace ? answer : undefined };
    const place = sample ?? (isUrl(answer) && !isKnown ? answer : undefined);
    if (place === undefined) return seen;
    const bytes = await readSample(place, signal);
    const recognition = await recognise(bytes, (feed) => readSample(feed, signal));
    if (typeof recognition !== 'string') return { ...seen, bytes, recognition };
    throw unknown(sample ?? 'the URL', 'a sample of the data, or its URL', recognition);
  };
  if (url !== undefined || source === 'post') return await lookAt(url ?? source ?? '');
  return await ask('Where is the data? An http or mqtt URL, or post if your program sends the data', '', lookAt);
}

/** All that the configuration is written from, and what to say of it. */
async function answersOf(options: InitOptions, seen: Seen, ask: Ask, tokenHash: string) {
  const { url, recognition } = seen;
  const { source = await kindOf(seen, ask), preset } = options;
  const readName = answerIf(isStreamName, '--stream, of a-z, 0-9 and "-", such as garages');
  const { stream = await ask('Name of the stream, the path of its URL', usualName(url, source), readName) } = options;
  const readUrl = answerIf((answer) => isBaseUrl(withSlash(answer)), '--public-url, an http or https URL');
  const publicUrl =
    options.publicUrl === undefined
      ? await ask('URL at which readers reach the server', 'http://localhost:3000/', readUrl)
      : readUrl(options.publicUrl);
  const isInterval = (answer: string) => duration('100ms').safeParse(answer).success;
  const readInterval = answerIf(isInterval, '--every, a duration with its unit from 100ms to 24h, such as 60s');
  const usual = KINDS[source]?.every ?? '60s';
  const { every = usual && (await ask('How often to fetch the data', usual, readInterval)) } = options;
  const readTopic = answerIf((answer) => answer !== '', '--topic, a filter such as sensors/#');
  const asksTopic = source === 'mqtt' && options.topics.length === 0;
  const topics = asksTopic ? [await ask('Which topics? A filter', 'sensors/#', readTopic)] : options.topics;
  const gbfsFeed = recognition?.gbfsFeed;
  const place = { url: url && sourceUrl(url, source, gbfsFeed), publicUrl: withSlash(publicUrl), gbfsFeed };
  if (preset !== undefined && !kindsOfPreset(preset).includes(source)) {
    throw usage(`The preset ${preset} maps ${kindsOfPreset(preset).join(', ')}, not ${source}. Give another preset.`);
  }
  const isWider = source === 'sensorthings' && /[(?]/.test(url?.slice(place.url?.length) ?? '');
  const widened = isWider
    ? ['CHECK: all observations of the service are published. To select some, give a URL of Observations.']
    : [];
  const made = preset === undefined ? firstMapping(seen, source, stream, topics) : undefined;
  /** The other documents that the mapping takes values from, by the names that it has for them. */
  const lookups = Object.keys((preset && loadPreset(preset).mapping.lookups) || {});
  const checks = lookups.map((name) => `CHECK: set the URL of "${name}" under lookups in the configuration.`);
  const mapping = { preset, mapping: made?.text, lookups, notes: [...widened, ...(made?.notes ?? []), ...checks] };
  return { source, stream, every, topics, tokenHash, ...place, ...mapping };
}

function answerIf(isGood: (answer: string) => boolean, expected: string): (answer: string) => string {
  return (answer) => {
    if (isGood(answer)) return answer;
    throw usage(`"${answer}" is not valid. Give ${expected}.`);
  };
}

/** Whether readers come to port 80 of this machine, which a server takes only where it is told to. */
function isAtPort80(publicUrl: string): boolean {
  return publicUrl.startsWith('http:') && isLoopback(publicUrl) && new URL(publicUrl).port === '';
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

async function kindOf({ url, bytes, recognition }: Seen, ask: Ask): Promise<SourceKind> {
  if (url === undefined) return 'post';
  if (!isUrl(url)) return 'mqtt';
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
  const words = last
    .replace(/\.[A-Za-z0-9]+$/, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = words.filter(Boolean).join('-').slice(0, 40);
  return isStreamName(name) ? name : (KINDS[source]?.name ?? 'data');
}

/**
 * Where all of the data is that a URL leads to a part of. Of a feed of GBFS it is the discovery document beside it; in
 * SensorThings what has observations, such as a Datastream, else the service, by the version in its path.
 */
function sourceUrl(url: string, source: SourceKind, gbfsFeed: string | undefined): string {
  if (source === 'gbfs') {
    return new URL(url).pathname.endsWith(`/${gbfsFeed}.json`) ? new URL('gbfs.json', url).href : url;
  }
  const [, service, part = ''] = /^(.*?\/v1\.\d)(?:\/(.*))?$/s.exec(url) ?? [];
  if (source !== 'sensorthings' || service === undefined) return url;
  if (/^Observations\?.|.\/Observations(?:\?|$)/.test(part)) return url;
  const [some] = /^(MultiDatastreams|Datastreams|FeaturesOfInterest)\([^/]+\)(?=\?|$)/.exec(part) ?? [''];
  return `${service}/${some}`;
}

/** A skeleton, and what to say of it; `undefined` where the kind of source has a mapping, or needs none. */
function firstMapping({ bytes, recognition }: Seen, source: SourceKind, stream: string, topics: readonly string[]) {
  const { gbfsFeed = 'station_status' } = recognition ?? {};
  const isMapped = source === 'gbfs' ? RENTAL_FEEDS.includes(gbfsFeed) : KINDS[source]?.isMapped;
  if (isMapped) return undefined;
  if (bytes === undefined) throw unknown('the data', '--sample FILE, or --preset');
  const format = FORMATS.find((known) => known === source);
  const reading = { format: 'json', ...recognition?.reading, ...(format && { format }) } as const;
  const made = skeleton(readDocument(bytes, reading), reading, stream, source === 'mqtt' ? topics : []);
  if (!made) throw unknown('the sample', 'one that has records with fields');
  const usual = source === 'ndjson' ? 'json' : source;
  const presets = presetNames().filter((name) => kindsOfPreset(name)[0] === usual);
  const others = presets.length === 0 ? [] : [`Presets for ${source}, each for --preset: ${presets.join(', ')}.`];
  return { text: made.text, notes: [...made.notes, ...others] };
}

/** The kinds of sources that a preset maps, the usual one first: one that says no format takes all that give records alike. */
function kindsOfPreset(name: string): readonly string[] {
  const { source, mapping } = loadPreset(name);
  if (source !== 'http') return [source.toLowerCase()];
  const { format } = mapping.reads ?? {};
  if (format === undefined) return ['json', 'ndjson', 'geojson', 'csv'];
  return format === 'json' ? ['json', 'ndjson'] : [format];
}

/** A configuration each of whose lines says what it is for. */
function configText(answers: Answers): string {
  const { publicUrl, stream } = answers;
  const title = stream.charAt(0).toUpperCase() + stream.slice(1).replaceAll('-', ' ');
  const source = sourceLines(answers).map((line) => `      ${line}\n`);
  return `# yaml-language-server: $schema=https://w3id.org/ldes-live/config.schema.json
# What ldes-live publishes. specs/configuration.md has every key.
publicUrl: ${flow(publicUrl)} # the URL at which readers reach the server; all IRIs begin with it
store: ./data # the folder of the published data; memory keeps nothing
# licence: https://creativecommons.org/licenses/by/4.0/
# publisher: { name: Us, iri: "https://example.org/#us" }
streams:
  ${stream}: # read at ${publicUrl}${stream}
    title: ${flow(title)} # what people see in the catalogue
    source:
${source.join('')}    retention: { versions: 1, deletes: 0s, history: 7d } # everything of a week, and the latest state
`;
}

function sourceLines(answers: Answers): readonly string[] {
  const { source, url, stream, publicUrl, every, gbfsFeed = 'station_status', topics, preset, mapping } = answers;
  if (source === 'post') {
    return [
      `post: true # members arrive by POST ${publicUrl}${stream}`,
      `tokens: ["${answers.tokenHash}"] # hashes of the tokens that may post: ldes-live token makes more`,
    ];
  }
  const { key = source, remark = 'where the data is' } = KINDS[source] ?? {};
  const clientId = sessionName(`${publicUrl}${stream}`);
  const lookups = Object.fromEntries(answers.lookups.map((name) => [name, `https://example.org/${name}`]));
  const lines = [
    `${key}: ${flow(url)} # ${remark}`,
    source === 'gbfs' && `feed: ${gbfsFeed} # the feed that is published; polled as the feed says, or by every`,
    source === 'mqtt' && `clientId: ${clientId} # the name of the session, unique at the broker`,
    source === 'mqtt' && `topics: ${flow(topics)} # the subscriptions: + is any level, # all levels below`,
    every !== '' && source !== 'mqtt' && `every: ${every} # how often it is fetched: as often as the data changes`,
    mapping && `mapping: ${flow(`./${stream}.mapping.yml`)} # how it becomes RDF`,
    preset && `preset: ${preset} # a built-in mapping: ldes-live map --print --preset shows it`,
    answers.lookups.length > 0 && `lookups: ${flow(lookups)} # CHECK: the URLs of the lookup documents`,
  ];
  return lines.filter((line) => typeof line === 'string');
}

/** Writes files by name into a folder; none if any is there already, unless forced. Returns their paths. */
async function writeNew(files: Readonly<Record<string, string>>, { out, force }: InitOptions): Promise<string[]> {
  const paths = Object.keys(files).map((name) => join(out, name));
  const there = force ? undefined : paths.find((path) => existsSync(path));
  if (there !== undefined) throw errors.ERR_FILE_EXISTS({ file: there });
  for (const [name, text] of Object.entries(files)) {
    const file = join(out, name);
    try {
      await makeFolder(out);
      // Exclusive, since somebody else may have written it meanwhile.
      await writeFile(file, text, { flag: force ? 'w' : 'wx' });
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && !force) throw errors.ERR_FILE_EXISTS({ file }, error);
      throw errors.ERR_FILE_WRITE({ file, reason: code }, error);
    }
  }
  return paths;
}

function tokenLines(url: string, token: string): string[] {
  return [
    ...['', 'The token for posts is shown only once. The configuration has its hash:', ''],
    `  ${token}`,
    ...['', 'When the server runs, post members with the latest state of each entity:', ''],
    `  curl -H 'authorization: Bearer ${token}' -H 'content-type: text/turtle' \\`,
    `       --data-binary @members.ttl ${url}`,
  ];
}

function mapLines(
  sample: string | undefined,
  mapping: string | undefined,
  { preset, lookups, source, topics }: Answers,
): string[] {
  if (sample === undefined || (mapping === undefined && preset === undefined)) return [];
  const by = mapping === undefined ? `--preset ${preset}` : `--mapping ${quoted(mapping)}`;
  const topic = source === 'mqtt' ? ` --topic ${quoted((topics[0] ?? '').replaceAll(/[+#]/g, 'example'))}` : '';
  const beside = lookups.map((name) => ` --lookup ${name}=FILE`).join('');
  const change = mapping === undefined ? '' : `, and edit ${mapping} until it is right`;
  const command = `  npx ldes-live map ${quoted(sample)} ${by}${topic}${beside}`;
  return ['', `Check the RDF of the data${change}:`, '', command];
}

/** As a shell takes it. */
function quoted(text: string): string {
  const isPlain = isUrl(text) ? /^[\w:/.%~-]+$/ : /^[\w/.-]+$/;
  return isPlain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function usage(problem: string) {
  return errors.ERR_USAGE({ command: COMMAND, problem });
}

function unknown(place: string, expected: string, because?: string) {
  return errors.ERR_SAMPLE_UNKNOWN({ place, expected, ...(because !== undefined && { because }) });
}

/** By itself: `recursive` tries forever where the system says ENOENT of a folder whose parent is there, as below `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}
