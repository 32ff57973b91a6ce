import type { TreeReading } from '../../src/tree/reading.ts';
import type { TreeState } from '../../src/tree/saved-state.ts';
import { BASE, membersOf, openModel, PREFIXES } from './model-publisher.ts';

/** What a path answers. */
export interface ScriptedPage {
  readonly text?: string;
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The path to which it redirects. */
  readonly to?: string;
}

/** Pages by path, in Turtle unless they say otherwise, and what was asked of them. */
export class ScriptedPages {
  pages: Record<string, ScriptedPage | string>;
  nowMs = Date.UTC(2026, 0, 1, 12);
  readonly requests: string[] = [];
  readonly asked: { readonly path: string; readonly headers: Headers; readonly cache: string | undefined }[] = [];
  underWay = 0;
  mostUnderWay = 0;

  /** @param pages - by path, or the text of the root alone */
  constructor(pages: Record<string, ScriptedPage | string> | string) {
    this.pages = typeof pages === 'string' ? { '/root': pages } : pages;
  }

  readonly fetch = (async (input: string, init: { headers: Headers; cache?: string }) => {
    let path = new URL(input).pathname;
    this.requests.push(path);
    this.asked.push({ path, headers: init.headers, cache: init.cache });
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    await Promise.resolve();
    this.underWay -= 1;
    let page = this.page(path);
    for (; page.to !== undefined; page = this.page(path)) path = page.to;
    const { text = '', type = 'text/turtle', status = 200, headers: given = {} } = page;
    const headers = { date: new Date(this.nowMs).toUTCString(), 'content-type': type, ...given };
    const isSame = given.etag !== undefined && init.headers.get('if-none-match') === given.etag;
    const body = status === 200 && type === 'text/turtle' ? PREFIXES + text : text;
    const response = new Response(isSame ? null : body, { status: isSame ? 304 : status, headers });
    Object.defineProperty(response, 'url', { value: BASE + path });
    return response;
  }) as unknown as typeof fetch;

  page(path: string): ScriptedPage {
    const page = this.pages[path] ?? { status: 404 };
    return typeof page === 'string' ? { text: page } : page;
  }

  /** Opens a reading of it. */
  open(request: Parameters<typeof openModel>[1] = {}, opening: Parameters<typeof openModel>[2] = {}) {
    return openModel(this, request, opening);
  }
}

/** One run: its members, and how it ended. */
export async function run(reading: TreeReading) {
  const members = [];
  const iterator = membersOf(reading);
  for (;;) {
    const next = await iterator.next();
    if (next.done) return { members, ids: members.map(({ id }) => id.replace(`${BASE}/`, '')), end: next.value };
    members.push(next.value);
  }
}

/** One run over pages of which nothing was read before, and what was asked of them. */
export async function runOf(
  pages: ConstructorParameters<typeof ScriptedPages>[0],
  ...opening: Parameters<ScriptedPages['open']>
) {
  const scripted = new ScriptedPages(pages);
  return { ...(await run(await scripted.open(...opening))), scripted };
}

/** The headers of a page that never changes. */
export const IMMUTABLE = { headers: { 'cache-control': 'public, max-age=604800, immutable' } };

/** The day of members whose time is an hour alone. */
export const DAY = '2026-01-01T';

/** A time; `04:00` is of the usual day. */
export function at(hour: string): string {
  return `"${hour.length === 5 ? `${DAY}${hour}:00Z` : hour}"^^xsd:dateTime`;
}

/** A member with a time. */
export function member(name: string, hour: string, more = ''): string {
  return `<s> tree:member <${name}> . <${name}> ex:at ${at(hour)} ; ex:of <e-${name[0]}> ${more} .\n`;
}

/** A relation that says nothing of what it leads to. */
export function link(from: string, to: string): string {
  return `<${from}> tree:relation [ a tree:Relation ; tree:node <${to}> ] .`;
}

/** The state of a reading as it is saved and read back. */
export function saved(reading: TreeReading): TreeState {
  return JSON.parse(JSON.stringify(reading.state()));
}

/** What says that something is the root of the stream. */
export const ROOT = '<s> tree:view <root> ; ldes:timestampPath ex:at ; ldes:versionOfPath ex:of .\n';

/** A relation of the root. */
export function relation(node: string, type = 'Relation', value = '', path = 'ex:at'): string {
  return `<root> tree:relation [ a tree:${type} ; tree:node <${node}> ${value && `; tree:path ${path} ; tree:value ${value}`} ] .\n`;
}
