import { createHash } from 'node:crypto';
import type { InitAnswers } from './init-answers.ts';
import { flow } from './write-mapping.ts';

/** The text of a configuration, each line with what it says. */
export function configText(answers: InitAnswers): string {
  const { publicUrl, stream } = answers;
  const lines: readonly Line[] = [
    [`publicUrl: ${flow(publicUrl)}`, 'how readers reach the server; every IRI begins with it'],
    ['store: ./data', 'the folder that keeps what was published; memory keeps nothing'],
    ['# licence: https://creativecommons.org/licenses/by/4.0/'],
    ['# publisher: { name: Us, iri: "https://example.org/#us" }'],
    ['streams:'],
    [`  ${stream}:`, `read at ${publicUrl}${stream}`],
    [`    title: ${flow(titleOf(stream))}`, 'what people see in the catalogue'],
    ...sourceLines(answers).map(([text, ...rest]): Line => [`    ${text}`, ...rest]),
    ['    retention: { versions: 1, deletes: 0s, history: 7d }', 'all of a week, and what still lives'],
  ];
  const width = Math.max(...lines.filter(([, remark]) => remark !== undefined).map(([text]) => text.length));
  const body = lines.map(([text, remark]) => (remark === undefined ? text : `${text.padEnd(width)} # ${remark}`));
  return `# What ldes-live publishes. specs/configuration.md has every key.\n${body.join('\n')}\n`;
}

/** A line, and what it says. */
type Line = readonly [text: string, remark?: string];

/** What {@link sourceLines} needs that is there for the kind of source. */
function sourceLines(answers: InitAnswers): readonly Line[] {
  const url = flow(answers.url ?? '');
  switch (answers.source) {
    case 'gtfsrt':
      return within([[`gtfsRt: ${url}`, 'a GTFS-Realtime feed'], everyLine(answers)]);
    case 'gbfs':
      return within([
        [`gbfs: ${url}`, 'the discovery document: the other feeds are found by it'],
        [
          `feed: ${answers.gbfsFeed ?? 'station_status'}`,
          'which feed is published; it is polled as it asks to be, or by every',
        ],
        ...(answers.every === undefined ? [] : [everyLine(answers)]),
        ...mappingLines(answers),
      ]);
    case 'sensorthings':
      return within([
        [`sensorThings: ${url}`, 'whose observations are published: a service, or a part of it'],
        everyLine(answers),
        ...mappingLines(answers),
      ]);
    case 'mqtt':
      return within([
        [`mqtt: ${url}`, 'the broker'],
        [`clientId: ${clientId(answers)}`, 'the name of the session at the broker: nobody else may have it'],
        [`topics: ${flow(answers.topics)}`, 'what is subscribed to: + is any level, # all below'],
        ...mappingLines(answers),
      ]);
    case 'post':
      return within([
        ['post: true', `members arrive by POST ${answers.publicUrl}${answers.stream}`],
        [`tokens: ["${answers.tokenHash}"]`, 'hashes of the tokens that may post: ldes-live token makes more'],
      ]);
    default:
      return within([[`${answers.source}: ${url}`, 'where the data is'], everyLine(answers), ...mappingLines(answers)]);
  }
}

function within(lines: readonly Line[]): readonly Line[] {
  return [['source:'], ...lines.map(([text, ...rest]): Line => [`  ${text}`, ...rest])];
}

function everyLine({ every }: InitAnswers): Line {
  return [`every: ${every}`, 'how often it is asked: as often as the data changes'];
}

function mappingLines({ preset, mappingFile, lookups }: InitAnswers): readonly Line[] {
  if (preset !== undefined) {
    const places = Object.fromEntries(lookups.map((name) => [name, `https://example.org/${name}`]));
    return [
      [`preset: ${preset}`, 'the mapping that ships: ldes-live map --print --preset shows it'],
      ...(lookups.length === 0 ? [] : [[`lookups: ${flow(places)}`, 'CHECK: where it looks things up'] satisfies Line]),
    ];
  }
  return mappingFile === undefined ? [] : [[`mapping: ${flow(`./${mappingFile}`)}`, 'how it becomes RDF']];
}

/** Brokers of MQTT 3.1.1 may take no more than 23 letters and digits. */
function clientId({ publicUrl, stream }: InitAnswers): string {
  return `ldes${createHash('sha256').update(`${publicUrl}${stream}`).digest('hex').slice(0, 19)}`;
}

function titleOf(stream: string): string {
  const words = stream.replaceAll('-', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
