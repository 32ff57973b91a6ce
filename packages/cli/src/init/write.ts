/*
 * The files that `init` writes: a configuration each of whose lines says what it is for, and never over a file.
 *
 *     { "source": "json", "url": "http://a.example/rooms.json", "stream": "rooms", "publicUrl": "http://localhost:3000/",
 *       "every": "60s", "mapping": { "name": "rooms.mapping.yml", "text": "..." }, "lookups": [], "topics": [] }
 *
 *     streams:
 *       rooms: # read at http://localhost:3000/rooms
 *         source:
 *           json: http://a.example/rooms.json # where the data is
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { errors } from '../errors.ts';
import type { SourceKind } from './recognise.ts';

/** All that a configuration is written from. */
export interface InitAnswers {
  readonly source: SourceKind;
  /** Where the data is; absent where it arrives by POST. */
  readonly url: string | undefined;
  readonly stream: string;
  readonly publicUrl: string;
  /** How often to poll; empty where nothing is polled, or the data says it. */
  readonly every: string;
  /** A mapping that ships; else `mapping`, or neither where none is needed. */
  readonly preset: string | undefined;
  readonly mapping: NewFile | undefined;
  /** The other documents that the mapping takes values from, by the names that it has for them. */
  readonly lookups: readonly string[];
  readonly gbfsFeed: string | undefined;
  /** Filters of MQTT. */
  readonly topics: readonly string[];
  /** SHA-256 of the token that may post. */
  readonly tokenHash: string;
}

/** A file that is to be written. */
interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** The key of each kind of source, where it is not called so, and what it says. */
const KEYS: Readonly<Partial<Record<SourceKind, readonly [key: string, remark: string]>>> = {
  gtfsrt: ['gtfsRt', 'a GTFS-Realtime feed'],
  gbfs: ['gbfs', 'the discovery document: the other feeds are found by it'],
  sensorthings: ['sensorThings', 'whose observations are published: a service, or a part of it'],
  mqtt: ['mqtt', 'the broker'],
};

/** The text of a configuration. */
export function configText(answers: InitAnswers): string {
  const { publicUrl, stream } = answers;
  const title = stream.charAt(0).toUpperCase() + stream.slice(1).replaceAll('-', ' ');
  const source = sourceLines(answers).map((line) => `      ${line}\n`);
  return `# yaml-language-server: $schema=https://w3id.org/ldes-live/config.schema.json
# What ldes-live publishes. specs/configuration.md has every key.
publicUrl: ${flow(publicUrl)} # how readers reach the server; every IRI begins with it
store: ./data # the folder that keeps what was published; memory keeps nothing
# licence: https://creativecommons.org/licenses/by/4.0/
# publisher: { name: Us, iri: "https://example.org/#us" }
streams:
  ${stream}: # read at ${publicUrl}${stream}
    title: ${flow(title)} # what people see in the catalogue
    source:
${source.join('')}    retention: { versions: 1, deletes: 0s, history: 7d } # all of a week, and what still lives
`;
}

function sourceLines(answers: InitAnswers): readonly string[] {
  const { source, url, stream, publicUrl, every, gbfsFeed = 'station_status', topics, preset, mapping } = answers;
  if (source === 'post') {
    return [
      `post: true # members arrive by POST ${publicUrl}${stream}`,
      `tokens: ["${answers.tokenHash}"] # hashes of the tokens that may post: ldes-live token makes more`,
    ];
  }
  const [key, remark] = KEYS[source] ?? [source, 'where the data is'];
  const lines = [`${key}: ${flow(url)} # ${remark}`];
  if (source === 'gbfs')
    lines.push(`feed: ${gbfsFeed} # which feed is published; it is polled as it asks to be, or by every`);
  if (source === 'mqtt') {
    // Brokers of MQTT 3.1.1 may take no more than 23 letters and digits.
    const clientId = `ldes${createHash('sha256').update(`${publicUrl}${stream}`).digest('hex').slice(0, 19)}`;
    lines.push(`clientId: ${clientId} # the name of the session at the broker: nobody else may have it`);
    lines.push(`topics: ${flow(topics)} # what is subscribed to: + is any level, # all below`);
  }
  if (every !== '') lines.push(`every: ${every} # how often it is asked: as often as the data changes`);
  if (mapping) lines.push(`mapping: ${flow(`./${mapping.name}`)} # how it becomes RDF`);
  if (preset !== undefined)
    lines.push(`preset: ${preset} # the mapping that ships: ldes-live map --print --preset shows it`);
  const lookups = Object.fromEntries(answers.lookups.map((name) => [name, `https://example.org/${name}`]));
  if (answers.lookups.length > 0) lines.push(`lookups: ${flow(lookups)} # CHECK: where it looks things up`);
  return lines;
}

/** A value of YAML in one line. */
export function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

/** Values of a sample stand in comments: none of them may end one. */
export function inComment(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}

/**
 * Writes files into a folder, and makes that where it is not there; none if any is there already, unless forced.
 *
 * @returns their paths, as they were asked for
 * @throws {@link StreamError} `ERR_FILE_EXISTS` - one is there
 * @throws {@link StreamError} `ERR_FILE_WRITE` - one cannot be written
 */
export async function writeNew(
  files: readonly NewFile[],
  { out, force }: { readonly out: string; readonly force: boolean },
): Promise<readonly string[]> {
  const paths = files.map(({ name }) => join(out, name));
  const there = force ? undefined : paths.find((path) => existsSync(path));
  if (there !== undefined) throw errors.ERR_FILE_EXISTS({ file: there });
  for (const [index, { text }] of files.entries()) {
    const file = paths[index] as string;
    try {
      await mkdir(out, { recursive: true });
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
