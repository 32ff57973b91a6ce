import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  blankNode,
  dct,
  type Format,
  formatOf,
  formats,
  ldes,
  literal,
  namedNode,
  prov,
  quad,
  rdf,
  tree,
  writeQuads,
  xsd,
} from '@ldes-live/rdf-stream';
import { httpServer } from '@ldes-live/test-support/net';
import type { Quad } from '@rdfjs/types';
import { onTestFinished } from 'vitest';

/** Where the stream is said to be: the host becomes that of the server in all that this sends. */
export const ROOT = 'http://stream.test/s';
export const STREAM = `${ROOT}#stream`;

type Quads = readonly Quad[];
type Edit = (quads: Quads, asked: Asked) => Quads;
type Change = (answer: Answer, asked: Asked) => unknown;
type Handler = (response: ServerResponse, sent: FaultyServer['sent']) => unknown;

/** How a fault is planted. */
export interface Plant {
  readonly settings?: Partial<FaultyServer>;
  readonly edit?: readonly [path: string, edit: Edit];
  readonly change?: readonly [path: string, change: Change];
  readonly lastChange?: readonly [path: string, change: Change];
  readonly handler?: readonly [path: string, handler: Handler];
}

/** What was asked for, and in which form it is answered. */
interface Asked {
  readonly path: string;
  readonly method: string;
  readonly format: Format;
  readonly encoding: 'identity' | 'gzip';
  /** How many times the path has been asked for, this one included. */
  readonly times: number;
}

interface Answer {
  status: number;
  fields: Record<string, string>;
  body: string;
}

/** A server of one stream that keeps every rule, until a fault is planted. */
export class FaultyServer {
  /** Chooses the format; `undefined` for 406. */
  negotiate: (accept: string) => Format | undefined = byWeight;
  encodes: boolean = true;
  heedsConditions = true;
  sendsDate = true;
  /** Where a check begins. */
  start = '/s';
  readonly #plants: Plant[] = [];
  /** Requests, in order. */
  readonly log: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  /** The most requests that were under way at a time. */
  maxAtATime = 0;
  #underWay = 0;
  #host = '';

  /** Begins to listen, until the test is over. */
  async listen(): Promise<this> {
    const { url, close } = await httpServer((request, response) => this.#respond(request, response));
    onTestFinished(close);
    this.#host = new URL(url).host;
    return this;
  }

  plant(plants: Plant | readonly Plant[]): this {
    this.#plants.push(...([plants].flat() as Plant[]));
    for (const { settings } of this.#plants) Object.assign(this, settings);
    return this;
  }

  /** A text as it is sent. */
  sent(text: string): string {
    return text.replaceAll('stream.test', this.#host);
  }

  get base(): string {
    return this.sent('http://stream.test');
  }

  /** URL of the root; `/p1` and `/p2` are full pages below it, `/p3` the open one. */
  get root(): string {
    return this.sent(ROOT);
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = '', method = 'GET', headers } = request;
    this.log.push({ url: path, headers });
    this.#underWay += 1;
    this.maxAtATime = Math.max(this.maxAtATime, this.#underWay);
    response.on('close', () => {
      this.#underWay -= 1;
    });
    response.sendDate = this.sendsDate;
    const handled = this.#plants.findLast(({ handler }) => handler?.[0] === path)?.handler;
    const handler = handled?.[1] ?? (path === '/s/events' ? pushes : undefined);
    if (handler) return void handler(response, (text) => this.sent(text));
    const encoding = this.encodes && /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')) ? 'gzip' : 'identity';
    const format = this.negotiate(headers.accept ?? '*/*');
    const times = this.log.filter(({ url }) => url === path).length;
    const asked: Asked = { path, method, format: format ?? 'jsonld', encoding, times };
    const answer = format === undefined ? problem(406) : this.#answer(asked);
    const apply = (kind: 'change' | 'lastChange') => {
      for (const { [kind]: [changed, change] = [] } of this.#plants) {
        if (changed === path || changed === '*') change?.(answer, asked);
      }
    };
    apply('change');
    const isKnown = answer.fields.etag !== undefined && headers['if-none-match'] === answer.fields.etag;
    if (isKnown && answer.status === 200 && this.heedsConditions) Object.assign(answer, { status: 304, body: '' });
    apply('lastChange');
    const body = this.sent(answer.body);
    response.writeHead(answer.status, answer.fields);
    const isCompressed = answer.fields['content-encoding'] === 'gzip' && body !== '';
    response.end(method === 'HEAD' ? '' : isCompressed ? gzipSync(body) : body);
  }

  #answer(asked: Asked): Answer {
    const { path, format, encoding } = asked;
    const edits = this.#plants.flatMap(({ edit }) => (edit?.[0] === path ? [edit[1]] : []));
    const own = path === '/s' ? rootQuads() : pageQuads(path);
    if (own === undefined && edits.length === 0) return problem(404);
    const quads = edits.reduce<Quads>((said, edit) => edit(said, asked), own ?? []);
    const hash = createHash('sha256')
      .update(writeQuads(quads, 'nquads', {}))
      .digest('hex');
    return {
      status: 200,
      body: writeQuads(quads, format, {}),
      fields: {
        'content-type': `${formats[format].mediaType};profile="https://w3id.org/tree/profile"`,
        etag: `"${hash}${formats[format].suffix}${encoding === 'gzip' ? '.gz' : ''}"`,
        vary: 'Accept, Accept-Encoding',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'ETag, Link, Next-Update',
        link: `</s/events>; rel="alternate"; type="text/event-stream"`,
        ...(encoding === 'gzip' && { 'content-encoding': 'gzip' }),
        ...(/p[12]$/.test(path) ? { 'cache-control': 'public, max-age=31536000, immutable' } : scheduled()),
      },
    };
  }
}

/** The fields of a document that is updated again in 20 s. */
export function scheduled(): Record<string, string> {
  const next = new Date(Math.floor(Date.now() / 1000) * 1000 + 20_999);
  return { 'cache-control': 'public, max-age=20', expires: next.toUTCString(), 'next-update': next.toISOString() };
}

function problem(status: number): Answer {
  const fields = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return { status, body: JSON.stringify({ status, title: 'a problem' }), fields };
}

function pushes(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 3000\n\n');
}

function byWeight(accept: string): Format | undefined {
  const wanted = accept
    .split(',')
    .map((range) => ({ range, weight: Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1) }))
    .sort((left, right) => right.weight - left.weight);
  return wanted.map(({ range }) => (/\*\/\*/.test(range) ? 'jsonld' : formatOf(range))).find(Boolean);
}

/** The time of the member of a number, from 0 over all pages. */
export function timeOf(number: number): string {
  return new Date(Date.parse('2026-01-01T00:00:00Z') + number * 1000).toISOString();
}

export const instant = (time: string) => literal(time, xsd.dateTime);

/** One statement; texts are IRIs. */
export function say(subject: string | Quad['subject'], predicate: string, object: string | Quad['object']): Quad {
  const node = typeof subject === 'string' ? namedNode(subject) : subject;
  return quad(node, namedNode(predicate), typeof object === 'string' ? namedNode(object) : object);
}

/** A member with its entity, its time and a value. */
export function memberOf(number: number, time = timeOf(number)): Quad[] {
  const member = `${ROOT}/members/${number}`;
  return [
    say(STREAM, tree.member, member),
    say(member, dct.isVersionOf, `${ROOT}/things/${number % 7}`),
    say(member, prov.generatedAtTime, instant(time)),
    say(member, 'http://example.org/value', literal(String(number), xsd.integer)),
  ];
}

/** A relation of a node, which has a value of `prov:generatedAtTime` where a time is given. */
export function relationOf(node: string, label: string, target: string, type?: string, time?: string): Quad[] {
  const relation = blankNode(label);
  const bound = (value: string) => [
    say(relation, tree.path, prov.generatedAtTime),
    say(relation, tree.value, instant(value)),
  ];
  return [
    say(node, tree.relation, relation),
    say(relation, rdf.type, type ?? tree.Relation),
    say(relation, tree.node, target),
    ...(time === undefined ? [] : bound(time)),
  ];
}

// The stream, its retention, and relations to three pages.
function rootQuads(): Quad[] {
  const { GreaterThanOrEqualToRelation: from, LessThanRelation: before } = tree;
  return [
    say(STREAM, rdf.type, ldes.EventStream),
    say(STREAM, tree.view, ROOT),
    say(STREAM, ldes.timestampPath, prov.generatedAtTime),
    say(STREAM, ldes.versionOfPath, dct.isVersionOf),
    say(STREAM, ldes.pollingInterval, literal('20', xsd.integer)),
    say(ROOT, rdf.type, tree.Node),
    say(ROOT, tree.viewDescription, `${ROOT}#view`),
    say(`${ROOT}#view`, ldes.retentionPolicy, `${ROOT}#kept`),
    say(`${ROOT}#kept`, rdf.type, ldes.RetentionPolicy),
    say(`${ROOT}#kept`, ldes.fullLogDuration, literal('P7D', xsd.duration)),
    ...relationOf(ROOT, 'r0', `${ROOT}/p1`, from, timeOf(0)),
    ...relationOf(ROOT, 'r1', `${ROOT}/p1`, before, timeOf(30)),
    ...relationOf(ROOT, 'r2', `${ROOT}/p2`, from, timeOf(30)),
    ...relationOf(ROOT, 'r3', `${ROOT}/p2`, before, timeOf(60)),
    // The last time of the page before: the bound of a page may be lower than its first member.
    ...relationOf(ROOT, 'r4', `${ROOT}/p3`, from, timeOf(59)),
  ];
}

// Two full pages of 30 members, and an open one of 5.
function pageQuads(path: string): Quad[] | undefined {
  const page = Number(/^\/s\/p([123])$/.exec(path)?.[1]);
  if (Number.isNaN(page)) return undefined;
  const url = `${ROOT}/p${page}`;
  return [
    say(url, rdf.type, tree.Node),
    ...(page === 3 ? [] : [say(url, ldes.immutable, literal('true', xsd.boolean))]),
    ...Array.from({ length: page === 3 ? 5 : 30 }, (_, index) => memberOf((page - 1) * 30 + index)).flat(),
  ];
}

/** Changes what a document says. */
export const says = (path: string, edit: Edit): Plant => ({ edit: [path, edit] });
/** Changes what a document says from the fifth time on, when it is read once more. */
export const saysLater = (path: string, edit: (quads: Quads) => Quads): Plant =>
  says(path, (quads, { times }) => (times >= 5 ? edit(quads) : quads));
/** Changes how a document, or each (`*`), is answered, before conditions are looked at. */
export const answers = (path: string, change: Change): Plant => ({ change: [path, change] });
/** Changes an answer last of all. */
export const ends = (path: string, change: Change): Plant => ({ lastChange: [path, change] });
/** Takes a path over. */
export const handles = (path: string, handler: Handler): Plant => ({ handler: [path, handler] });
/** Changes how the server works as a whole. */
export const works = (settings: Partial<FaultyServer>): Plant => ({ settings });
/** Makes a path redirect, with a Location or without. */
export const redirects = (path: string, location?: string): Plant =>
  handles(path, (response, sent) =>
    response.writeHead(302, location === undefined ? {} : { location: sent(location) }).end(),
  );

export function error(status: number): Change {
  return (answer) => Object.assign(answer, problem(status));
}

/** Statements by a predicate, about a subject where one is given: an IRI, or the label of a blank node. */
export function by(predicate: string, about?: string) {
  return ({ subject, predicate: { value } }: Quad) => value === predicate && subject.value === (about ?? subject.value);
}

/** The time of a member. */
export const time = (number: number) => by(prov.generatedAtTime, `${ROOT}/members/${number}`);

/** Without some statements. */
export const without = (test: (quad: Quad) => boolean) => (quads: Quads) => quads.filter((quad) => !test(quad));

/** With another object in some statements, and another subject where one is given. */
export function replaced(test: (quad: Quad) => boolean, object?: Quad['object'] | string, subject?: string) {
  return (quads: Quads) =>
    quads.map((quad) =>
      test(quad) ? say(subject ?? quad.subject, quad.predicate.value, object ?? quad.object) : quad,
    );
}

/** With more statements at the end, or at the beginning. */
export const plus =
  (...added: Quad[]) =>
  (quads: Quads) => [...quads, ...added];
export const first =
  (...added: Quad[]) =>
  (quads: Quads) => [...added, ...quads];

/** With another value of a header field, which may have `{format}` and `{encoding}`, or without it. */
export function field(name: string, value?: string): Change {
  return ({ fields }, { format, encoding }) => {
    if (value === undefined) delete fields[name];
    else fields[name] = value.replace('{format}', format).replace('{encoding}', encoding);
  };
}

/** With another Cache-Control. */
export const caching = (value: string) => field('cache-control', value);

/** With a word on freshness at most, and none on the next update. */
export function unscheduled(value?: string): Change {
  return (answer, asked) => {
    for (const name of ['expires', 'next-update']) delete answer.fields[name];
    field('cache-control', value)(answer, asked);
  };
}

export function content(type: string, body: string): Change {
  return (answer) => Object.assign(answer, { body, fields: { ...answer.fields, 'content-type': type } });
}

/** Of answers of one status. */
export function of(status: number, change: Change): Change {
  return (answer, asked) => answer.status === status && change(answer, asked);
}

/** Of answers to HEAD. */
export function ofHead(change: Change): Change {
  return (answer, asked) => asked.method === 'HEAD' && change(answer, asked);
}
