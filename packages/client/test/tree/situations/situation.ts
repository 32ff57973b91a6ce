import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { httpServer } from '@ldes-live/test-support/net';
import type { FollowOptions } from '../../../src/index.ts';

/** What a publisher answers at one path. */
export interface Answer {
  /** @defaultValue 200 */
  readonly status?: number;
  /** @defaultValue text/turtle */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long it takes, in milliseconds. */
  readonly delayMs?: number;
}

/** An LDES as somebody publishes it, and what reading it whole has to bring. */
export interface Situation {
  readonly name: string;
  /** The path that a reader is given. */
  readonly entry: string;
  readonly pages: ReadonlyMap<string, Answer>;
  /** Paths of the members, by publication time where the stream has one. */
  readonly expected: readonly string[];
  /** Whether it can be read in order: then `expected` is that order. */
  readonly isOrdered: boolean;
  /** Whether no page can change any more, so that the reading ends. */
  readonly isFinished: boolean;
  /** How many quads members have, by path, where that is the point. */
  readonly quads?: Readonly<Record<string, number>>;
  /** What else to ask for. */
  readonly request?: Pick<FollowOptions, 'after' | 'before'>;
  /** Paths that must not be asked for, as they hold nothing that was asked for. */
  readonly unasked?: readonly string[];
  /** The code of the error that the reading ends with. */
  readonly refused?: string;
}

/** What IRIs begin with in the pages: the server puts the address of the situation in its place. */
const ORIGIN = 'http://origin.example';

/** The IRI of a path of the situation. */
export function iri(path: string): string {
  return `${ORIGIN}/${path}`;
}

/** A situation from what sets it apart; by default it is read whole, can be ordered, and is not finished. */
export function situation(
  name: string,
  entry: string,
  pages: Readonly<Record<string, Answer | string>>,
  members: readonly { readonly path: string }[],
  others: Partial<Situation> = {},
): Situation {
  const answers = Object.entries(pages).map(([path, answer]): [string, Answer] => [
    path,
    typeof answer === 'string' ? { body: answer } : answer,
  ]);
  return {
    name,
    entry,
    pages: new Map(answers),
    expected: members.map(({ path }) => path),
    isOrdered: true,
    isFinished: false,
    ...others,
  };
}

/** The vocabulary of the data: levels that gauges along a river read. */
const WATER = 'https://water.example/ns#';

/** A member: one reading of a gauge. */
export interface WaterReading {
  readonly path: string;
  readonly time: string;
  readonly turtle: string;
}

const GAUGES = ['weir', 'lock', 'quay', 'mill'];

/**
 * Readings of four gauges in turn.
 *
 * @param first - the number of the first
 * @param from - when it was taken
 * @param stepMinutes - from one to the next
 */
export function readings(first: number, count: number, from: string, stepMinutes = 10): WaterReading[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return reading(number, new Date(Date.parse(from) + index * stepMinutes * 60_000).toISOString());
  });
}

/** One reading, with more statements about it if need be (`; w:p o`). */
export function reading(number: number, time: string, more = ''): WaterReading {
  const path = `readings/${number}`;
  const gauge = GAUGES[number % GAUGES.length] as string;
  const turtle = `<${iri(path)}> a w:Reading ; w:gauge <${iri(`gauges/${gauge}`)}> ;
  w:level ${100 + ((number * 37) % 250)} ; w:read "${time}"^^xsd:dateTime${more} .`;
  return { path, time, turtle };
}

/** A link to another node. */
export interface Relation {
  readonly to: string;
  /** Without namespace and `Relation`: `GreaterThan`; `''` for a plain one. */
  readonly type: string;
  /** A literal in Turtle. */
  readonly value?: string;
  /** @defaultValue w:read */
  readonly path?: string;
}

/** What a page says. */
export interface TreePage {
  /** Path of the node. */
  readonly node: string;
  readonly members?: readonly WaterReading[];
  readonly relations?: readonly Relation[];
  /** Path of the root, as the page states it; absent: it does not. */
  readonly view?: string;
  /** Whether it says which property is the time and which the entity. */
  readonly hasContext?: boolean;
  /** Path of the stream. @defaultValue stream */
  readonly stream?: string;
  /** More Turtle. */
  readonly more?: string;
}

/** What every page begins with. */
export const PREFIXES = `@prefix tree: <https://w3id.org/tree#> .
@prefix ldes: <https://w3id.org/ldes#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix w: <${WATER}> .
`;

/** What a stream says of itself. */
export const CONTEXT = 'ldes:timestampPath w:read ; ldes:versionOfPath w:gauge';

/** A page in Turtle. */
export function treePage(page: TreePage): string {
  const { node, members = [], relations = [], view, hasContext = false, stream = 'stream', more = '' } = page;
  const stated = [
    'a ldes:EventStream',
    ...(hasContext ? [CONTEXT] : []),
    ...(view === undefined ? [] : [`tree:view <${iri(view)}>`]),
    ...(members.length === 0 ? [] : [`tree:member ${members.map(({ path }) => `<${iri(path)}>`).join(', ')}`]),
  ];
  const links = relations.map((relation) => `;\n  tree:relation ${relationTurtle(relation)}`);
  return `${PREFIXES}
<${iri(stream)}> ${stated.join(' ;\n  ')} .
<${iri(node)}> a tree:Node${links.join('')} .
${members.map(({ turtle }) => turtle).join('\n')}
${more}
`;
}

/** The page of a root that is its own view and says what the stream is. */
export function rootPage(node: string, parts: Partial<TreePage> = {}): string {
  return treePage({ node, view: node, hasContext: true, ...parts });
}

/** Relations that say nothing of what they lead to. */
export function plain(...nodes: readonly string[]): Relation[] {
  return nodes.map((to) => ({ to, type: '' }));
}

function relationTurtle({ to, type, value, path = 'w:read' }: Relation): string {
  const bound = value === undefined ? '' : ` ; tree:path ${path} ; tree:value ${value}`;
  return `[ a tree:${type}Relation ; tree:node <${iri(to)}>${bound} ]`;
}

/** An instant as a literal. */
export function dateTime(text: string): string {
  return `"${text}"^^xsd:dateTime`;
}

/** The two relations that bound the node of a time span. */
export function span(to: string, from: string, until: string): Relation[] {
  return [
    { to, type: 'GreaterThanOrEqualTo', value: dateTime(from) },
    { to, type: 'LessThan', value: dateTime(until) },
  ];
}

/** The answer of a page that never changes again. */
export function sealed(body: string): Answer {
  return { body, headers: { 'cache-control': 'public, max-age=604800, immutable' } };
}

/** A publisher on loopback. */
export interface SituationServer {
  /** The address of the entry. */
  readonly entryUrl: string;
  /** The path of a member from its IRI. */
  pathOf(iri: string): string;
  /** Answers otherwise from now on. */
  publish(path: string, answer: Answer): void;
  /** The paths asked for, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Serves a situation, in a folder, so that nothing happens to stand at the root of the server. */
export async function serveSituation(situation: Situation): Promise<SituationServer> {
  const asked: string[] = [];
  const pages = new Map(situation.pages);
  let base = '';
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = `${request.url}`.slice('/world/'.length);
    asked.push(path);
    const { status = 200, type = 'text/turtle', headers = {}, body = '', delayMs } = pages.get(path) ?? MISSING;
    if (delayMs !== undefined) await pause(delayMs);
    response.writeHead(status, {
      'content-type': type,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll(ORIGIN, base)])),
    });
    response.end(body.replaceAll(ORIGIN, base));
  };
  const server = await httpServer((request, response) => void respond(request, response));
  base = `${server.url}world`;
  return {
    entryUrl: `${base}/${situation.entry}`,
    pathOf: (iri) => (iri.startsWith(`${base}/`) ? iri.slice(base.length + 1) : iri),
    publish: (path, answer) => pages.set(path, answer),
    asked,
    close: server.close,
  };
}

const MISSING: Answer = { status: 404, type: 'text/plain', headers: {}, body: 'nothing here' };
