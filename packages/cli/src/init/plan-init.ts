import { isBaseUrl, isStreamName } from '@ldes-live/server';
import { loadPreset } from '@ldes-live/sources';
import {
  AN_INTERVAL,
  type InitCommand,
  isInterval,
  isSourceUrl,
  SOURCE_KINDS,
  type SourceKind,
} from '../command-line/init-command.ts';
import { isHttpUrl, usage } from '../command-line/option-values.ts';
import { errors } from '../errors.ts';
import { readSample } from '../sample/read-sample.ts';
import { newToken } from '../token/new-token.ts';
import type { Ask } from './ask.ts';
import { discoveryUrl, sensorThingsUrl, streamName } from './default-names.ts';
import type { InitAnswers } from './init-answers.ts';
import type { InitPlan } from './init-plan.ts';
import { notData } from './not-data.ts';
import { type MappingPlan, planMapping } from './plan-mapping.ts';
import { recognise } from './recognise.ts';
import type { Recognition } from './recognition.ts';
import { systemFeed } from './system-feed.ts';
import { configText } from './write-config.ts';

const COMMAND = 'ldes-live init';
/** How often is usual, where the data does not say it. */
const EVERY: Readonly<Partial<Record<SourceKind, string>>> = { gtfsrt: '20s', gbfs: '', mqtt: '', post: '' };

/** Finds out what is needed for a configuration: from the flags, from the data, and by asking. */
export async function planInit(command: InitCommand, ask: Ask, signal: AbortSignal): Promise<InitPlan> {
  const preset = presetOf(command);
  const seen = await look(command, ask, signal);
  const { url, bytes, recognition } = seen;
  const source = await sourceOf(command, seen, ask);
  const stream = command.stream ?? (await askName(ask, streamName(url, source)));
  const publicUrl = command.publicUrl ?? (await askPublicUrl(ask));
  const every = await everyOf(command, source, ask);
  const topics = await topicsOf(command, source, ask);
  const mapping = await planMapping({ source, preset, recognition, bytes, stream, topics });
  const token = source === 'post' ? newToken() : undefined;
  const answers: InitAnswers = {
    source,
    ...(url !== undefined && { url: sourceUrl(url, source, recognition) }),
    stream,
    publicUrl,
    ...(every !== '' && { every }),
    ...mapping.answers,
    ...(recognition?.gbfsFeed !== undefined && { gbfsFeed: recognition.gbfsFeed }),
    topics,
    ...(token && { tokenHash: token.hash }),
  };
  const sample = command.sample ?? (url !== undefined && bytes ? url : undefined);
  return {
    answers,
    config: configText(answers),
    mappings: mapping.files,
    notes: [...notesOf(recognition, mapping), ...widened(url, answers)],
    ...(sample !== undefined && { sample }),
    ...(token && { token: token.token }),
  };
}

function notesOf(recognition: Recognition | undefined, { notes }: MappingPlan): readonly string[] {
  return recognition ? [`Of the data: ${recognition.because}.`, ...notes] : notes;
}

/** What to know where more is published than the URL leads to. */
function widened(url: string | undefined, { source, url: published = '' }: InitAnswers): readonly string[] {
  const isWider = source === 'sensorthings' && /[(?]/.test(url?.slice(published.length) ?? '');
  return isWider ? ['CHECK: all observations of the service are published; a URL of Observations says which.'] : [];
}

/** What is known of the data once it was looked at. */
interface Seen {
  readonly url: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly recognition: Recognition | undefined;
}

async function look(command: InitCommand, ask: Ask, signal: AbortSignal): Promise<Seen> {
  const { url, source } = command;
  if (url !== undefined || source === 'post') return await lookAt(command, url, signal);
  return await ask({
    text: 'Where is the data? A URL of http or mqtt, or post if a program of yours sends it',
    read: async (answer) => {
      if (answer === 'post') return await lookAt(command, undefined, signal);
      if (isSourceUrl(answer)) return await lookAt(command, answer, signal);
      throw usage(COMMAND, 'Give --url, where the data is; or --kind post if a program of yours sends it.');
    },
  });
}

async function lookAt(command: InitCommand, url: string | undefined, signal: AbortSignal): Promise<Seen> {
  const bytes = await sampleOf(command, url, signal);
  const because = bytes && notData(bytes);
  if (because !== undefined) {
    const [place, expected] =
      command.sample === undefined
        ? ['the URL', 'the URL of the data itself']
        : [command.sample, 'a sample of the data itself'];
    throw errors.ERR_SAMPLE_UNKNOWN({ place, because, expected });
  }
  const recognition = bytes && recognise(bytes);
  const ofSystem =
    bytes && recognition?.isGbfsSystem ? await systemFeed(bytes, (feed) => readSample(feed, signal)) : {};
  return { url, bytes, recognition: recognition && { ...recognition, ...ofSystem } };
}

async function sampleOf(
  { sample, source, preset }: InitCommand,
  url: string | undefined,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (sample !== undefined) return await readSample(sample, signal);
  if (url === undefined || !isHttpUrl(url)) return undefined;
  // Who knows what it is can go on without it: it may need a key that only the server has.
  if (source !== undefined && (preset !== undefined || NEED_NO_SAMPLE.includes(source))) return undefined;
  return await readSample(url, signal);
}

const NEED_NO_SAMPLE: readonly SourceKind[] = ['gtfsrt', 'gbfs', 'sensorthings'];

async function sourceOf({ source }: InitCommand, { url, bytes, recognition }: Seen, ask: Ask): Promise<SourceKind> {
  if (source !== undefined) return source;
  if (url === undefined) return 'post';
  if (!isHttpUrl(url)) return 'mqtt';
  return await ask({
    text: `What is it? One of ${SOURCE_KINDS.join(', ')}`,
    ...(recognition && { otherwise: recognition.source }),
    read: (answer) => {
      const known = SOURCE_KINDS.find((kind) => kind === answer);
      if (known !== undefined) return known;
      const place = bytes ? 'the sample' : 'the URL';
      throw errors.ERR_SAMPLE_UNKNOWN({ place, expected: `--kind, one of ${SOURCE_KINDS.join(', ')}` });
    },
  });
}

function presetOf({ preset }: InitCommand): string | undefined {
  // An unknown one is told before anything is fetched.
  if (preset !== undefined) loadPreset(preset);
  return preset;
}

function askName(ask: Ask, otherwise: string): Promise<string> {
  return ask({
    text: 'Name of the stream, the path of its URL',
    otherwise,
    read: (answer) => {
      if (isStreamName(answer)) return answer;
      throw usage(COMMAND, `"${answer}" is no name of a stream: give --stream, of a-z, 0-9 and "-", such as garages.`);
    },
  });
}

function askPublicUrl(ask: Ask): Promise<string> {
  return ask({
    text: 'URL that readers will reach the server at',
    otherwise: 'http://localhost:3000/',
    read: (answer) => {
      const url = answer.endsWith('/') ? answer : `${answer}/`;
      if (isBaseUrl(url)) return url;
      throw usage(COMMAND, `"${answer}" is no such URL: give --public-url, an http or https URL that ends in "/".`);
    },
  });
}

async function everyOf({ every }: InitCommand, source: SourceKind, ask: Ask): Promise<string> {
  const usual = EVERY[source] ?? '60s';
  if (every !== undefined || usual === '') return every ?? usual;
  return await ask({
    text: 'How often to ask for the data',
    otherwise: usual,
    read: (answer) => {
      if (isInterval(answer)) return answer;
      throw usage(COMMAND, `"${answer}" is no duration to ask by: give --every, ${AN_INTERVAL}.`);
    },
  });
}

async function topicsOf({ topics }: InitCommand, source: SourceKind, ask: Ask): Promise<readonly string[]> {
  if (source !== 'mqtt' || topics.length > 0) return topics;
  return [await ask({ text: 'Which topics? A filter', otherwise: 'sensors/#', read: (answer) => answer })];
}

function sourceUrl(url: string, source: SourceKind, recognition: Recognition | undefined): string {
  if (source === 'gbfs') return discoveryUrl(url, recognition?.gbfsFeed);
  return source === 'sensorthings' ? sensorThingsUrl(url) : url;
}
