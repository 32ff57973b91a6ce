import { parseArgs } from 'node:util';
import type { Format } from '@ldes-live/rdf-stream';
import { HELP, integer, oneOf, parsed, TEXT, TEXTS, usage } from './option-values.ts';

/** What `map` was asked for: to show what a mapping makes of a sample, or a preset as a file to start from. */
export type MapCommand =
  | {
      readonly kind: 'map';
      /** Path or http URL of the sample. */
      readonly sample: string;
      readonly mapping: MappingChoice;
      /** Path or http URL of each document that is looked up, by name. */
      readonly lookups: Readonly<Record<string, string>>;
      /** The topic that the sample came by; absent where it came by none. */
      readonly topic?: string;
      readonly format: Format;
      /** How many records to show; all when absent. */
      readonly count?: number;
    }
  | { readonly kind: 'printPreset'; readonly preset: string }
  | { readonly kind: 'listPresets' };

/** A mapping file, or one that ships. */
type MappingChoice = { readonly file: string } | { readonly preset: string };

const FORMATS: readonly Format[] = ['turtle', 'trig', 'nquads', 'ntriples', 'jsonld'];

/**
 * Reads the arguments of `ldes-live map`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseMap(args: string[]): MapCommand | 'help' {
  const command = 'ldes-live map';
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...HELP,
        mapping: TEXT,
        preset: TEXT,
        presets: { type: 'boolean' },
        print: { type: 'boolean' },
        lookup: TEXTS,
        topic: TEXT,
        format: TEXT,
        count: TEXT,
      },
    }),
  );
  if (values.help) return 'help';
  if (values.presets) return { kind: 'listPresets' };
  const { preset } = values;
  if (values.print) {
    if (preset === undefined) throw usage(command, 'Give --preset beside --print: which preset to print.');
    return { kind: 'printPreset', preset };
  }
  const [sample] = positionals;
  if (sample === undefined || positionals.length > 1) throw usage(command, 'Give one sample: a file, or its URL.');
  const format = oneOf(command, values.format ?? 'turtle', FORMATS);
  return {
    kind: 'map',
    sample,
    mapping: choice(command, values.mapping, preset),
    lookups: lookupsOf(command, values.lookup ?? []),
    ...(values.topic !== undefined && { topic: values.topic }),
    format,
    ...(values.count !== undefined && {
      count: integer(command, '--count', values.count, 1, Number.MAX_SAFE_INTEGER),
    }),
  };
}

function choice(command: string, file: string | undefined, preset: string | undefined): MappingChoice {
  if (file !== undefined && preset !== undefined) {
    throw usage(command, 'Both --mapping and --preset were given: choose one.');
  }
  if (file !== undefined) return { file };
  if (preset !== undefined) return { preset };
  throw usage(command, 'Give --mapping FILE, or --preset NAME (--presets lists them).');
}

function lookupsOf(command: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, sample] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
      if (name === undefined || sample === undefined) {
        throw usage(command, `--lookup is "${pair}": give NAME=FILE, the name being that in the mapping.`);
      }
      return [name, sample];
    }),
  );
}
