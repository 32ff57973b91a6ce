import { parseArgs } from 'node:util';
import { isStreamName } from '@ldes-live/server';
import { durationSchema } from '../config/duration-schema.ts';
import { HELP, isHttpUrl, oneOf, parsed, TEXT, TEXTS, usage } from './option-values.ts';

/** The kinds of sources that `init` knows, the first one first in its question. */
export const SOURCE_KINDS = [
  'gtfsrt',
  'gbfs',
  'json',
  'ndjson',
  'geojson',
  'csv',
  'xml',
  'sensorthings',
  'mqtt',
  'post',
] as const;

/** What a publisher has. */
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What `init` was told; it asks, or guesses, what is absent. */
export interface InitCommand {
  readonly kind: 'init';
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

/**
 * Reads the arguments of `ldes-live init`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseInit(args: string[]): InitCommand | 'help' {
  const command = 'ldes-live init';
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...HELP,
        url: TEXT,
        kind: TEXT,
        preset: TEXT,
        sample: TEXT,
        every: TEXT,
        'public-url': TEXT,
        stream: TEXT,
        topic: TEXTS,
        out: TEXT,
        yes: { type: 'boolean', short: 'y' },
        force: { type: 'boolean' },
      },
    }),
  );
  if (values.help) return 'help';
  if (positionals.length > 0) throw usage(command, `"${positionals[0]}" belongs to no option.`);
  const { url, kind, preset, sample, every, stream } = values;
  const publicUrl = values['public-url'];
  if (url !== undefined && !isSourceUrl(url)) throw usage(command, `--url is "${url}": give a URL of http or mqtt.`);
  if (every !== undefined && !isInterval(every)) throw usage(command, `--every is "${every}": give ${AN_INTERVAL}.`);
  if (stream !== undefined && !isStreamName(stream)) {
    throw usage(command, `--stream is "${stream}": give a name of a-z, 0-9 and "-", such as garages.`);
  }
  if (publicUrl !== undefined && !isHttpUrl(publicUrl)) {
    throw usage(command, `--public-url is "${publicUrl}": give the http or https URL that readers will use.`);
  }
  return {
    kind: 'init',
    ...(url !== undefined && { url }),
    ...(kind !== undefined && { source: oneOf(command, kind, SOURCE_KINDS, '--kind') }),
    ...(preset !== undefined && { preset }),
    ...(sample !== undefined && { sample }),
    ...(every !== undefined && { every }),
    ...(publicUrl !== undefined && { publicUrl: publicUrl.endsWith('/') ? publicUrl : `${publicUrl}/` }),
    ...(stream !== undefined && { stream }),
    topics: values.topic ?? [],
    out: values.out ?? '.',
    yes: values.yes ?? false,
    force: values.force ?? false,
  };
}

/** What {@link isInterval} asks for. */
export const AN_INTERVAL = 'a duration with its unit from 100ms to 24h, such as 60s';

/** Whether configurations take a text for how often to poll. */
export function isInterval(text: string): boolean {
  return durationSchema({ least: '100ms', example: '60s' }).safeParse(text).success;
}

/** Whether a source can be at this URL. */
export function isSourceUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|mqtts?):$/.test(new URL(text).protocol);
}
