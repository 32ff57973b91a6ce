import type { Member } from '@ldes-live/rdf-stream';
import { readDocument } from '../../src/http/document.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import type { TreeReading } from '../../src/tree/reading.ts';
import { openTree, type RunEnd, type TreeOpening } from '../../src/tree/reading.ts';
import { sleep } from '../../src/waiting.ts';

export const BASE = 'http://model.example';
const TREE = 'https://w3id.org/tree#';
const LDES = 'https://w3id.org/ldes#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const CREATED = 'http://purl.org/dc/terms/created';

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
    const headers: Record<string, string> = { date, 'content-type': 'application/n-quads' };
    if (this.layout.hasEtags) headers.etag = etag;
    if (isFull && this.layout.immutable === 'header') headers['cache-control'] = 'public, max-age=1000, immutable';
    const isSame = this.layout.hasEtags && init.headers.get('if-none-match') === etag;
    const response = isSame ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
    Object.defineProperty(response, 'url', { value: BASE + path });
    return response;
  }) as unknown as typeof fetch;

  #document(path: string): { text: string; isFull: boolean } | undefined {
    const { kind, pageMembers } = this.layout;
    const count = this.times.length;
    const pages = Math.max(1, Math.ceil(count / pageMembers));
    const full = Math.floor(count / pageMembers);
    const lines: string[] = [];
    const [, name = '', number = '0'] = path.split('/');
    const index = Number(number);
    const url = `${BASE}${path}`;
    let isFull = false;
    if (name === 'root' || kind === 'newest') {
      lines.push(`<${BASE}/s> <${TREE}view> <${BASE}/root> .`, `<${BASE}/s> <${LDES}timestampPath> <${CREATED}> .`);
      lines.push(`<${BASE}/s> <${LDES}versionOfPath> <http://purl.org/dc/terms/isVersionOf> .`);
    }
    if (name === 'root') {
      if (kind === 'flat')
        for (let page = 0; page < pages; page += 1) lines.push(...this.#relation(url, this.#page, page, 1));
      if (kind === 'list') lines.push(...this.#relation(url, this.#page, 0, Number.POSITIVE_INFINITY));
      if (kind === 'nested') {
        for (let range = 0; range * 3 < pages; range += 1) lines.push(...this.#relation(url, 'r', range, 3));
      }
      if (kind === 'moving') {
        for (let page = 0; page < full; page += 1) lines.push(...this.#relation(url, this.#page, page, 1));
        lines.push(...this.#members(full * pageMembers, count));
      }
    } else if (name === 'r') {
      const last = Math.min(pages, index * 3 + 3);
      for (let page = index * 3; page < last; page += 1) lines.push(...this.#relation(url, this.#page, page, 1));
      isFull = full >= index * 3 + 3;
    } else {
      if (name !== this.#page || index >= pages) return undefined;
      isFull = index < full;
      lines.push(...this.#members(index * pageMembers, Math.min(count, (index + 1) * pageMembers)));
      if (this.layout.overlaps && index > 0) lines.push(...this.#members(index * pageMembers - 1, index * pageMembers));
      // A list goes on from a page that is full: it has to know its next.
      if (kind === 'list' && index + 1 < pages) {
        lines.push(...this.#relation(url, this.#page, index + 1, Number.POSITIVE_INFINITY));
      } else if (kind === 'list') isFull = false;
      if (kind === 'newest') {
        // A full page without a next one has still to lead to it.
        isFull = index + 1 < pages;
        if (index > 0) lines.push(...this.#relation(url, this.#page, index - 1, 1, 'LessThanOrEqualTo'));
        if (isFull) lines.push(...this.#relation(url, this.#page, index + 1, 1, 'GreaterThanOrEqualTo'));
      }
    }
    if (isFull && this.layout.immutable === 'triple') {
      lines.push(`<${url}> <${LDES}immutable> "true"^^<${XSD}boolean> .`);
    }
    return { text: `${lines.join('\n')}\n`, isFull };
  }

  #members(from: number, to: number): string[] {
    return this.times.slice(from, to).flatMap((timeMs, offset) => {
      const member = `<${BASE}/m/${from + offset}>`;
      return [
        `<${BASE}/s> <${TREE}member> ${member} .`,
        `${member} <${CREATED}> "${new Date(timeMs).toISOString()}"^^<${XSD}dateTime> .`,
        `${member} <http://purl.org/dc/terms/isVersionOf> <${BASE}/e/${(from + offset) % 7}> .`,
        `${member} <${BASE}/part> _:b0 .`,
        `_:b0 <${BASE}/value> "${from + offset}" .`,
      ].map((line) => line.replaceAll('_:b0', `_:m${from + offset}`));
    });
  }

  #relation(from: string, name: string, index: number, pagesEach: number, only?: string): string[] {
    const { pageMembers, isBounded, overlaps } = this.layout;
    const node = `_:${name}${index}`;
    const step = Number.isFinite(pagesEach) ? pagesEach : 1;
    const low = this.times[index * step * pageMembers - (overlaps && index > 0 ? 1 : 0)];
    const high = Number.isFinite(pagesEach) ? this.times[(index + 1) * step * pageMembers] : undefined;
    const bounds = [
      ...(low === undefined ? [] : [['GreaterThanOrEqualTo', low] as const]),
      ...(high === undefined ? [] : [['LessThanOrEqualTo', high] as const]),
    ].filter(([type]) => type === (only ?? type));
    if (!isBounded || bounds.length === 0) {
      return [`<${from}> <${TREE}relation> ${node} .`, `${node} <${TREE}node> <${BASE}/${name}/${index}> .`];
    }
    return bounds.flatMap(([type, timeMs]) => [
      `<${from}> <${TREE}relation> ${node}${type} .`,
      `${node}${type} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${TREE}${type}Relation> .`,
      `${node}${type} <${TREE}node> <${BASE}/${name}/${index}> .`,
      `${node}${type} <${TREE}path> <${CREATED}> .`,
      `${node}${type} <${TREE}value> "${new Date(timeMs).toISOString()}"^^<${XSD}dateTime> .`,
    ]);
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

/** Opens a reading of a publisher, without faults on the way to its root. */
export async function openModel(
  publisher: Pick<ModelPublisher, 'fetch' | 'nowMs'> & { onRequest?: ModelPublisher['onRequest'] },
  request: Partial<TreeOpening['request']> = {},
  { url = `${BASE}/root`, ...opening }: Partial<TreeOpening> = {},
): Promise<TreeReading> {
  const clock = () => publisher.nowMs;
  const http = new HttpClient({
    fetch: publisher.fetch,
    clock,
    sleep,
    headers: {},
    origin: BASE,
    limits: { ...DEFAULT_LIMITS, requestMs: 60_000 },
  });
  const { signal } = new AbortController();
  const { onRequest } = publisher;
  if (onRequest) publisher.onRequest = () => undefined;
  const root = await readDocument(http, url, { signal });
  if (onRequest) publisher.onRequest = onRequest;
  const asked = { from: 'start', state: undefined, ...request };
  const given = { limits: DEFAULT_LIMITS, phase: 0.5, ...opening };
  return await openTree({ http, url, root, request: asked, clock, signal, ...given });
}
