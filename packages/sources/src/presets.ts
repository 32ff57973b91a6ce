import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { errors } from './errors.ts';
import type { Mapping } from './mapping/schema.ts';

/** What `presets/index.yml` says of a mapping that ships. */
interface PresetDescription {
  /** What it is of, in a few words. */
  readonly title: string;
  /** What it takes and gives, in a sentence or two. */
  readonly description: string;
  /** Which kind of source it is meant for. */
  readonly source: 'http' | 'gbfs' | 'sensorThings' | 'mqtt';
  /**
   * A URL of the kind that the source takes: for `gbfs` the list of feeds, for `sensorThings` the root of the service,
   * else the document or the broker. `<...>` is where a key, a name or an id has to be put in.
   */
  readonly exampleUrl: string;
  /** URLs of the same kind for the lookups of the mapping, by name; a lookup without one is the user's to find. */
  readonly exampleLookups?: Readonly<Record<string, string>>;
  /** URL of the documentation of the format. */
  readonly documentation: string;
}

/**
 * A mapping that ships, and what one has to know to use it.
 *
 * @see specs/presets.md PRE-1
 */
export interface Preset extends PresetDescription {
  /** Its file as it is: YAML with comments, ready to be copied. */
  readonly text: string;
  /** The same as data; it cannot be changed. */
  readonly mapping: Mapping;
}

/** As seen from `src` and from `dist`. */
const FOLDER = new URL('../presets/', import.meta.url);

let index: Readonly<Record<string, Preset>> | undefined;

/**
 * The names of the mappings that ship, by which a configuration uses them.
 *
 * @see specs/presets.md PRE-1
 */
export function presetNames(): readonly string[] {
  return Object.keys(readIndex());
}

/**
 * A mapping that ships. Its file is read when its mapping is first asked for.
 *
 * @throws {@link StreamError} `ERR_PRESET_UNKNOWN` - there is none of the name
 * @see specs/presets.md PRE-1
 */
export function loadPreset(name: string): Preset {
  const preset = Object.hasOwn(readIndex(), name) ? readIndex()[name] : undefined;
  if (preset) return preset;
  throw errors.ERR_PRESET_UNKNOWN({ preset: name, known: presetNames() });
}

function readIndex(): Readonly<Record<string, Preset>> {
  index ??= Object.fromEntries(
    Object.entries(readFrozen<Record<string, PresetDescription>>(readText('index'))).map(([name, description]) => {
      let mapping: Mapping | undefined;
      const preset: Preset = {
        ...description,
        get text() {
          return readText(name);
        },
        get mapping() {
          mapping ??= readFrozen<Mapping>(readText(name));
          return mapping;
        },
      };
      return [name, preset];
    }),
  );
  return index;
}

function readText(name: string): string {
  return readFileSync(new URL(`${name}.yml`, FOLDER), 'utf8');
}

// What is read once is shared by all who ask: nobody may change it.
function readFrozen<Value>(yaml: string): Value {
  return parse(yaml, (_, value) => Object.freeze(value)) as Value;
}
