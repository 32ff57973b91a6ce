import type { Member } from '@ldes-live/rdf-stream';
import { readDocument } from '../../src/http/document.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import type { TreeReading } from '../../src/tree/reading.ts';
import { openTree, type RunEnd, type TreeOpening } from '../../src/tree/reading.ts';
import { sleep } from '../../src/waiting.ts';

export const BASE = 'http://model.example';
export const PREFIXES = `@base <${BASE}/> .
@prefix tree: <https://w3id.org/tree#> .
@prefix ldes: <https://w3id.org/ldes#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix as: <https://www.w3.org/ns/activitystreams#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix ex: <http://example.org/> .
`;

/** How a {@link ModelPublisher} lays its members out. */
export interface ModelLayout {
  /**
   * `flat`: the root leads to all pages; `list`: each page leads to the next; `nested`: the root leads to ranges of
   * pages; `moving`: the newest members stand on the root, and move to a page of their own when that is full;
   * `newest`: the root redirects to the newest page, and each leads to those before and after it.
   */
  readonly kind: 'flat' | 'list' | 'nested' | 'moving' | 'newest';
  readonly pageMembers: number;
  /** Whether relations have bounds. */
  readonly isBounded: boolean;
  /** How full pages say that they will not change. */
  readonly immutable: 'header' | 'triple' | 'never';
  /** Whether the last member of a page stands on the next too. */
  readonly overlaps: boolean;
  readonly hasEtags: boolean;
}

/** A publisher of members, one version of one entity each, that grows while it is read. */
export class ModelPublisher {
  readonly layout: ModelLayout;
  /** Publication times by member. */
  readonly times: number[] = [];
  readonly requests: string[] = [];
  nowMs = Date.UTC(2026, 0, 1);
  /** Done before each answer; a status to answer in its place, or 0 for a broken connection. */
  onRequest: (path: string) => number | undefined = () => undefined;

  readonly #page: string;

  /** @param page - what the paths of pages begin with */
  constructor(layout: ModelLayout, page = 'p') {
    this.layout = layout;
    this.#page = page;
  }

  publish(count: number, stepMs: number): void {
    for (let index = 0; index < count; index += 1) {
      this.nowMs += stepMs;
      this.times.push(this.nowMs);
    }
  }

  get ids(): string[] {
    return this.times.map((_, index) => `${BASE}/m/${index}`);
  }

  readonly fetch = (async (input: string, init: { headers: Headers }) => {
    const { pathname } = new URL(input);
    this.nowMs += 5;
    const fault = this.onRequest(pathname);
    this.requests.push(pathname);
    const date = new Date(this.nowMs).toUTCString();
    if (fault === 0) throw new TypeError('broken');
    if (fault !== undefined) return new Response('', { status: fault, headers: { date } });
    const newest = Math.max(0, Math.ceil(this.times.length / this.layout.pageMembers) - 1);
    const isRedirected = this.layout.kind === 'newest' && pathname === '/root';
    const path = isRedirected ? `/${this.#page}/${newest}` : pathname;
    const found = this.#document(path);
    if (!found) return new Response('', { status: 404, headers: { date } });
    const { text, isFull } = found;
    const etag = `"${text.length}"`;
    const headers: Record<string, string> = { date, 'content-type': 'text/turtle' };
    if (this.layout.hasEtags) headers.etag = etag;
    if (isFull && this.layout.immutable === 'header') headers['cache-control'] = 'public, max-age=1000, immutable';
    const isSame = this.layout.hasEtags && init.headers.get('if-none-match') === etag;
    const response = isSame ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
    Object.defineProperty(response, 'url', { value: BASE + path });
    return response;
  }) as unknown as typeof fetch;

  #document(path: string): { text: string; isFull: boolean } | undefined {
    const { kind, pageMembers, overlaps, immutable } = this.layout;
    const count = this.times.length;
    const pages = Math.max(1, Math.ceil(count / pageMembers));
    const full = Math.floor(count / pageMembers);
    const [, name = '', number = '0'] = path.split('/');
    const index = Number(number);
    const lines: string[] = [];
    const relate = (to: string, from: number, end: number, pagesEach: number) => {
      for (let at = from; at < end; at += 1) lines.push(...this.#relation(path, to, at, pagesEach));
    };
    let isFull = false;
    if (name === 'root' || kind === 'newest') {
      lines.push('<s> tree:view <root> ; ldes:timestampPath dct:created ; ldes:versionOfPath dct:isVersionOf .');
    }
    if (name === 'root') {
      if (kind === 'flat') relate(this.#page, 0, pages, 1);
      if (kind === 'list') relate(this.#page, 0, 1, Number.POSITIVE_INFINITY);
      if (kind === 'nested') relate('r', 0, Math.ceil(pages / 3), 3);
      if (kind === 'moving') {
        relate(this.#page, 0, full, 1);
        lines.push(...this.#members(full * pageMembers, count));
      }
    } else if (name === 'r') {
      relate(this.#page, index * 3, Math.min(pages, index * 3 + 3), 1);
      isFull = full >= index * 3 + 3;
    } else {
      if (name !== this.#page || index >= pages) return undefined;
      const isLast = index + 1 === pages;
      // A full page of these has to know its next.
      isFull = kind === 'list' || kind === 'newest' ? !isLast : index < full;
      const first = index * pageMembers - (overlaps && index > 0 ? 1 : 0);
      lines.push(...this.#members(first, Math.min(count, (index + 1) * pageMembers)));
      if (kind === 'list' && !isLast) relate(this.#page, index + 1, index + 2, Number.POSITIVE_INFINITY);
      if (kind === 'newest') {
        if (index > 0) lines.push(...this.#relation(path, this.#page, index - 1, 1, 'LessThanOrEqualTo'));
        if (!isLast) lines.push(...this.#relation(path, this.#page, index + 1, 1, 'GreaterThanOrEqualTo'));
      }
    }
    if (isFull && immutable === 'triple') lines.push(`<${path}> ldes:immutable true .`);
    return { text: PREFIXES + lines.join('\n'), isFull };
  }

  #members(from: number, to: number): string[] {
    return this.times.slice(from, to).map((timeMs, offset) => {
      const at = from + offset;
      return `<s> tree:member <m/${at}> . <m/${at}> dct:created "${new Date(timeMs).toISOString()}"^^xsd:dateTime ;
        dct:isVersionOf <e/${at % 7}> ; <part> [ <value> "${at}" ] .`;
    });
  }

  #relation(from: string, name: string, index: number, pagesEach: number, only?: string): string[] {
    const { pageMembers, isBounded, overlaps } = this.layout;
    const step = Number.isFinite(pagesEach) ? pagesEach : 1;
    const low = this.times[index * step * pageMembers - (overlaps && index > 0 ? 1 : 0)];
    const high = Number.isFinite(pagesEach) ? this.times[(index + 1) * step * pageMembers] : undefined;
    const bounds = Object.entries({ GreaterThanOrEqualTo: low, LessThanOrEqualTo: high }).flatMap(([type, timeMs]) =>
      !isBounded || timeMs === undefined || type !== (only ?? type)
        ? []
        : `a tree:${type}Relation ; tree:path dct:created ; tree:value "${new Date(timeMs).toISOString()}"^^xsd:dateTime ;`,
    );
    const stated = bounds.length > 0 ? bounds : [''];
    return stated.map((bound) => `<${from}> tree:relation [ ${bound} tree:node <${name}/${index}> ] .`);
  }
}

/** The members of a run one by one, and how it ended. */
export async function* membersOf(
  reading: TreeReading,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<Member, RunEnd> {
  const batches = reading.run(signal);
  try {
    for (;;) {
      const { done, value } = await batches.next();
      if (done) return value;
      for (const member of value) yield member;
    }
  } finally {
    await batches.return(undefined as never);
  }
}

/** A client of a publisher, at its clock. */
export function httpOf(publisher: Pick<ModelPublisher, 'fetch' | 'nowMs'>, given = DEFAULT_LIMITS): HttpClient {
  const clock = () => publisher.nowMs;
  const limits = { ...given, requestMs: 60_000 };
  return new HttpClient({ fetch: publisher.fetch, clock, sleep, headers: {}, origin: BASE, limits });
}

/** Opens a reading of a publisher, without faults on the way to its root. */
export async function openModel(
  publisher: Pick<ModelPublisher, 'fetch' | 'nowMs'> & { onRequest?: ModelPublisher['onRequest'] },
  request: Partial<TreeOpening['request']> = {},
  { url = `${BASE}/root`, ...opening }: Partial<TreeOpening> = {},
): Promise<TreeReading> {
  const http = httpOf(publisher, opening.limits);
  const { signal } = new AbortController();
  const { onRequest } = publisher;
  if (onRequest) publisher.onRequest = () => undefined;
  const root = await readDocument(http, url, { signal });
  if (onRequest) publisher.onRequest = onRequest;
  const asked = { from: 'start', state: undefined, ...request };
  const given = { limits: DEFAULT_LIMITS, phase: 0.5, clock: () => publisher.nowMs, ...opening };
  return await openTree({ http, url, root, request: asked, signal, ...given });
}
