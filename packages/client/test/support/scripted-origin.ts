import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Commit,
  type Cursor,
  commitDrafts,
  type Draft,
  describeStream,
  formatCursor,
  formatSseEvent,
  formatSseRetry,
  latestViewQuads,
  literal,
  type Member,
  memberQuads,
  namedNode,
  nodeQuads,
  parseCursor,
  prefixes,
  quad,
  rootQuads,
  type StreamDescription,
  writeQuads,
} from '@ldes-live/rdf-stream';
import { commitEvent } from '@ldes-live/test-support/events';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import type { Quad } from '@rdfjs/types';

/** Members on a page of the scripted origin. */
const PAGE_MEMBERS = 4;

/** A request as it came. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly atMs: number;
}

/** Answers a request in place of the origin; returns false to leave it to the origin. */
export type Fault = (request: IncomingMessage, response: ServerResponse, origin: ScriptedOrigin) => boolean;

/** Which requests a fault meets: all unless said otherwise, and of those the first. */
interface Met {
  readonly to?: RegExp;
  readonly times?: number;
}

/** Answers with a status and no content. */
export function answering(
  status: number,
  { headers = {}, ...met }: Met & { readonly headers?: Record<string, string> } = {},
): Fault {
  return meeting(met, (response) => response.writeHead(status, headers).end());
}

/** Cuts the connection. */
export function refusing(met: Met = {}): Fault {
  return meeting(met, (response) => response.destroy());
}

/** Does something else with the requests that it meets. */
export function meeting(
  { to = /^/, times = Number.POSITIVE_INFINITY }: Met,
  act: (response: ServerResponse) => void,
): Fault {
  let left = times;
  return (request, response) => {
    if (left === 0 || !to.test(request.url ?? '')) return false;
    left -= 1;
    act(response);
    return true;
  };
}

/** A small live stream on a loopback port that keeps the protocol, until a fault is put before it. */
export class ScriptedOrigin {
  readonly time: VirtualTime;
  readonly seen: SeenRequest[] = [];
  /** The push connections that are open. */
  readonly pushed = new Set<ServerResponse>();
  /** Asked first, for each request. */
  fault: Fault | undefined;
  /** What becomes of an event on its way out: the bytes that are sent. */
  onEvent: (frame: Uint8Array, commit: Commit) => readonly Uint8Array[] = (frame) => [frame];
  /** What `Next-Update` says. */
  nextUpdateMs: number | undefined;
  /** What `LDES-Source` says, of documents and of the push endpoint. */
  source: string | undefined;
  pollingIntervalSeconds: number | undefined;
  breakEvenSeconds: number | undefined = 10;
  offersPush = true;
  /** Whether documents lead to the tail after their cursor. */
  offersTails = false;
  retryMs: number | undefined;
  description!: StreamDescription;
  #epoch = 'e1';
  #commits: Commit[] = [];
  #server!: Server;

  constructor(time: VirtualTime) {
    this.time = time;
  }

  get url(): string {
    return this.description.url;
  }

  get members(): Member[] {
    return this.#commits.flatMap((commit) => commit.members);
  }

  get head(): Cursor {
    return this.#commits.at(-1)?.cursor ?? { epoch: this.#epoch, sequence: 0 };
  }

  async listen(port = 0): Promise<void> {
    this.#server = createServer((request, response) => this.#answer(request, response));
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    const { port: bound } = this.#server.address() as AddressInfo;
    this.description = describeStream({ publicUrl: `http://127.0.0.1:${bound}/`, name: 's' });
  }

  /** Ends every connection and stops listening. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Comes back on the same port. */
  async reopen(): Promise<void> {
    await this.listen(Number(new URL(this.url).port));
  }

  /** Begins another life of the log. */
  rebuild(epoch: string): void {
    this.#epoch = epoch;
    this.#commits = [];
  }

  /** Takes back everything after a sequence. */
  goBack(sequence: number): void {
    this.#commits = this.#commits.filter((commit) => commit.cursor.sequence <= sequence);
  }

  /** Publishes new versions of entities by name; a name after `-` is deleted. */
  commit(...names: string[]): Commit {
    const head = { cursor: this.head, timeMs: Date.parse(this.#commits.at(-1)?.time ?? '1970-01-01') };
    const drafts = names.map((name) => this.#draft(name));
    const commit = commitDrafts(drafts, head, this.time.nowMs, this.description.sequencePath);
    this.#commits.push(commit);
    for (const response of this.pushed) this.#push(response, commit);
    return commit;
  }

  /** IRI of an entity by name. */
  entity(name: string): string {
    return `${this.url}/entities/${name}`;
  }

  /** Requests for a path so far. */
  requestsTo(pattern: RegExp): SeenRequest[] {
    return this.seen.filter(({ path }) => pattern.test(path));
  }

  #draft(name: string): Draft {
    if (name.startsWith('-')) return { kind: 'delete', entity: this.entity(name.slice(1)), origin: 'test' };
    const entity = this.entity(name);
    const quads = [quad(namedNode(entity), namedNode('http://example.org/name'), literal(name))];
    return { kind: 'upsert', entity, origin: 'test', quads, fingerprint: name };
  }

  #push(response: ServerResponse, commit: Commit): void {
    if (response.writableEnded) return;
    for (const bytes of this.onEvent(commitEvent(commit, this.description, prefixes), commit)) response.write(bytes);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push({ path: request.url ?? '', headers: request.headers, atMs: this.time.nowMs });
    if (!this.fault?.(request, response, this)) this.answer(request, response);
  }

  /** Answers as the protocol says. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const { description, pollingIntervalSeconds } = this;
    const interval = pollingIntervalSeconds === undefined ? {} : { pollingIntervalSeconds };
    if (pathname === '/s') {
      this.#document(request, response, rootQuads(description, { ranges: [], ...interval }));
    } else if (pathname === '/s/latest') {
      const living = new Map(this.members.map((member) => [member.entity, member]));
      const members = [...living.values()]
        .filter((member) => member.kind === 'upsert')
        .sort((left, right) => left.sequence - right.sequence);
      const quads = [...latestViewQuads(description, `${this.url}/latest`), ...memberQuads(description, members)];
      this.#document(request, response, quads);
    } else if (pathname.startsWith('/s/pages/after-')) {
      this.#tail(request, response, Number(pathname.slice('/s/pages/after-'.length)));
    } else if (pathname === '/s/pages') {
      this.#redirect(response, parseCursor(searchParams.get('after') ?? ''));
    } else if (pathname.startsWith('/s/pages/')) {
      this.#page(request, response, Number(pathname.slice('/s/pages/'.length)));
    } else if (pathname === '/s/events' && this.offersPush) {
      this.#events(request, response);
    } else {
      response.writeHead(404).end();
    }
  }

  #redirect(response: ServerResponse, after: Cursor): void {
    const isHeld = after.epoch === this.#epoch && after.sequence <= this.head.sequence;
    if (!isHeld) response.writeHead(410).end();
    else response.writeHead(307, { location: `${this.url}/pages/${Math.floor(after.sequence / PAGE_MEMBERS)}` }).end();
  }

  #tail(request: IncomingMessage, response: ServerResponse, sequence: number): void {
    if (sequence > this.head.sequence) response.writeHead(410).end();
    else this.#node(request, response, `after-${sequence}`, this.members.slice(sequence), false);
  }

  #page(request: IncomingMessage, response: ServerResponse, index: number): void {
    const first = index * PAGE_MEMBERS;
    const members = this.members.slice(first, first + PAGE_MEMBERS);
    const isSealed = members.length === PAGE_MEMBERS;
    const cursor = { epoch: this.#epoch, sequence: first + members.length };
    const next = isSealed ? `${this.url}/pages/${index + 1}` : undefined;
    if (first > this.head.sequence) response.writeHead(404).end();
    else this.#node(request, response, `${index}`, members, isSealed, cursor, next);
  }

  #node(
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
    members: readonly Member[],
    sealed: boolean,
    ...place: [cursor?: Cursor, nextPage?: string | undefined]
  ): void {
    const quads = [
      ...nodeQuads({ url: `${this.url}/pages/${name}`, sealed }),
      ...memberQuads(this.description, members),
    ];
    this.#document(request, response, quads, ...place);
  }

  #document(
    request: IncomingMessage,
    response: ServerResponse,
    quads: readonly Quad[],
    cursor: Cursor = this.head,
    nextPage?: string,
  ): void {
    const etag = `"${formatCursor(cursor)}.nq"`;
    const links = [
      `<${this.url}>; rel="collection"`,
      `<${this.url}/latest>; rel="current"`,
      `<${this.url}/pages>; rel="archives"`,
    ];
    const breakEven = this.breakEvenSeconds === undefined ? '' : `; break-even="${this.breakEvenSeconds}"`;
    if (this.offersPush) links.push(`<${this.url}/events>; rel="alternate"; type="text/event-stream"${breakEven}`);
    if (nextPage) links.push(`<${nextPage}>; rel="next"`);
    else if (this.offersTails) links.push(`<${this.url}/pages/after-${cursor.sequence}>; rel="monitor"`);
    const isPredicted = this.nextUpdateMs !== undefined && !nextPage;
    const isSame = request.headers['if-none-match'] === etag;
    response.writeHead(isSame ? 304 : 200, {
      date: new Date(this.time.nowMs).toUTCString(),
      etag,
      'ldes-cursor': formatCursor(cursor),
      ...(isPredicted && { 'next-update': new Date(this.nextUpdateMs as number).toISOString() }),
      ...(this.source !== undefined && { 'ldes-source': this.source }),
      ...(!isSame && { link: links.join(', '), 'content-type': 'application/n-quads' }),
    });
    response.end(isSame ? undefined : writeQuads(quads, 'nquads', {}));
  }

  #events(request: IncomingMessage, response: ServerResponse): void {
    const after = parseCursor(String(request.headers['last-event-id']));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      date: new Date(this.time.nowMs).toUTCString(),
      ...(this.source !== undefined && { 'ldes-cursor': formatCursor(after), 'ldes-source': this.source }),
    });
    response.write(this.retryMs === undefined ? ':\n\n' : formatSseRetry(this.retryMs));
    this.pushed.add(response);
    response.on('close', () => this.pushed.delete(response));
    if (after.epoch !== this.#epoch || after.sequence > this.head.sequence) {
      response.write(formatSseEvent({ event: 'gap', id: formatCursor(this.head), data: '{}' }));
      return;
    }
    for (const commit of this.#commits.filter(({ cursor }) => cursor.sequence > after.sequence)) {
      this.#push(response, commit);
    }
  }
}

/** The events of a conflation from a cursor to the head: the newest of each entity that changed, one event each. */
export function conflation(origin: ScriptedOrigin, from: string): Uint8Array[] {
  const after = parseCursor(from).sequence;
  const newest = new Map(origin.members.map((member) => [member.entity, member]));
  const changed = [...newest.values()]
    .filter(({ sequence }) => sequence > after)
    .sort((left, right) => left.sequence - right.sequence);
  const { head } = origin;
  const events = changed.map((member): string => {
    const part: Commit = { cursor: head, time: member.time, members: [member] };
    return new TextDecoder().decode(commitEvent(part, origin.description, prefixes));
  });
  // Only the last has the cursor: up to there all has been told.
  const parts = events.map((event, index) => (index < events.length - 1 ? event.replace(/^id: .*\n/m, '') : event));
  const begin = `event: conflated\ndata: ${JSON.stringify({ from, to: formatCursor(head) })}\n\n`;
  return [begin, ...parts].map((text) => new TextEncoder().encode(text));
}
