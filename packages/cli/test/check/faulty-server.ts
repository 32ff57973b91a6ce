import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Format, formatOf, formats, writeQuads } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { pageQuads, rootQuads } from './stream-fixture.ts';

/** What was asked for, and in which form it is answered. */
export interface Asked {
  readonly path: string;
  readonly method: string;
  readonly format: Format;
  readonly encoding: 'identity' | 'gzip';
  readonly headers: IncomingMessage['headers'];
  /** How many times the path has been asked for, this one included. */
  readonly times: number;
}

/** An answer while it is made. */
export interface Answer {
  status: number;
  fields: Record<string, string>;
  body: string;
}

type Edit<Subject> = (subject: Subject, asked: Asked) => Subject;
type Change = (answer: Answer, asked: Asked) => void;

const IMMUTABLE = 'public, max-age=31536000, immutable';
const PROFILE = ';profile="https://w3id.org/tree/profile"';

/** A server of one stream that keeps every rule, until a fault is planted. */
export class FaultyServer {
  /** Chooses the format; `undefined` for 406. */
  negotiate: (accept: string) => Format | undefined = byWeight;
  encodes: boolean = true;
  heedsConditions = true;
  sendsDate = true;
  /** Requests, in order. */
  readonly log: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  /** The most requests that were under way at a time. */
  mostAtATime = 0;
  #underWay = 0;
  readonly #edits: [path: string, edit: Edit<readonly Quad[]>][] = [];
  readonly #changes: [path: string, change: Change][] = [];
  readonly #lastChanges: [path: string, change: Change][] = [];
  readonly #handlers = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>();
  readonly #server = createServer((request, response) => this.#respond(request, response));

  /** Begins to listen. */
  async listen(): Promise<this> {
    this.#server.keepAliveTimeout = 500;
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Changes how it works as a whole. */
  set(settings: Partial<Pick<FaultyServer, 'negotiate' | 'encodes' | 'heedsConditions' | 'sendsDate'>>): void {
    Object.assign(this, settings);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** URL of the root; `/p1` and `/p2` are full pages below it, `/p3` the open one. */
  get root(): string {
    return `${this.base}/s`;
  }

  /** Changes what a document says. */
  says(path: string, edit: (quads: readonly Quad[], asked: Asked) => readonly Quad[]): void {
    this.#edits.push([path, edit]);
  }

  /** Changes how a document is answered, before conditions are looked at. */
  answers(path: string, change: Change): void {
    this.#changes.push([path, change]);
  }

  /** Changes an answer last of all. */
  ends(path: string, change: Change): void {
    this.#lastChanges.push([path, change]);
  }

  /** Takes a path over. */
  handles(path: string, handler: (response: ServerResponse, request: IncomingMessage) => void): void {
    this.#handlers.set(path, handler);
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = '', method = 'GET', headers } = request;
    this.log.push({ url: path, headers });
    this.#underWay += 1;
    this.mostAtATime = Math.max(this.mostAtATime, this.#underWay);
    response.on('close', () => {
      this.#underWay -= 1;
    });
    response.sendDate = this.sendsDate;
    const handler = this.#handlers.get(path) ?? (path === '/s/events' ? pushes : undefined);
    if (handler) {
      handler(response, request);
      return;
    }
    const encoding = this.encodes && /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')) ? 'gzip' : 'identity';
    const format = this.negotiate(headers.accept ?? '*/*');
    const times = this.log.filter(({ url }) => url === path).length;
    const asked: Asked = { path, method, format: format ?? 'jsonld', encoding, headers, times };
    const answer = format === undefined ? problem(406) : this.#answer(asked);
    for (const change of changesOf(this.#changes, path)) change(answer, asked);
    const isKnown = answer.fields.etag !== undefined && headers['if-none-match'] === answer.fields.etag;
    if (isKnown && answer.status === 200 && this.heedsConditions) Object.assign(answer, { status: 304, body: '' });
    for (const change of changesOf(this.#lastChanges, path)) change(answer, asked);
    const isCompressed = answer.fields['content-encoding'] === 'gzip' && answer.body !== '';
    response.writeHead(answer.status, answer.fields);
    response.end(method === 'HEAD' ? '' : isCompressed ? gzipSync(answer.body) : answer.body);
  }

  #answer(asked: Asked): Answer {
    const { path, format, encoding } = asked;
    const page = /^\/s\/p([123])$/.exec(path)?.[1];
    const own =
      path === '/s' ? rootQuads(this.root) : page ? pageQuads(this.root, Number(page) as 1 | 2 | 3) : undefined;
    const edits = this.#edits.filter(([edited]) => edited === path);
    if (own === undefined && edits.length === 0) return problem(404);
    const quads = edits.reduce<readonly Quad[]>((said, [, edit]) => edit(said, asked), own ?? []);
    const body = writeQuads(quads, format, {});
    const hash = createHash('sha256')
      .update(writeQuads(quads, 'nquads', {}))
      .digest('hex')
      .slice(0, 12);
    const isImmutable = page === '1' || page === '2';
    return {
      status: 200,
      body,
      fields: {
        'content-type': `${formats[format].mediaType}${PROFILE}`,
        etag: `"${hash}${formats[format].suffix}${encoding === 'gzip' ? '.gz' : ''}"`,
        vary: 'Accept, Accept-Encoding',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'ETag, Link, Next-Update',
        link: `<${this.root}/events>; rel="alternate"; type="text/event-stream"`,
        ...(encoding === 'gzip' && { 'content-encoding': 'gzip' }),
        ...(isImmutable ? { 'cache-control': IMMUTABLE } : scheduled()),
      },
    };
  }
}

/** The fields of a document that is updated again in 20 s. */
export function scheduled(seconds = 20, nowMs = Date.now()): Record<string, string> {
  const nextMs = Math.floor(nowMs / 1000) * 1000 + seconds * 1000 + 999;
  return {
    'cache-control': `public, max-age=${seconds}`,
    expires: new Date(nextMs).toUTCString(),
    'next-update': new Date(nextMs).toISOString(),
  };
}

/** An error as it should be. */
export function problem(status: number): Answer {
  return {
    status,
    body: JSON.stringify({ status, title: 'a problem' }),
    fields: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  };
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
  for (const { range } of wanted) {
    const format = /\*\/\*/.test(range) ? 'jsonld' : formatOf(range);
    if (format !== undefined) return format;
  }
  return undefined;
}

function changesOf(changes: readonly [path: string, change: Change][], path: string): Change[] {
  return changes.filter(([changed]) => changed === path || changed === '*').map(([, change]) => change);
}
