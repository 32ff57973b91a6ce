import {
  type Cursor,
  findLink,
  formatCursor,
  isStreamError,
  type Member,
  readMembers,
  relations,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { type DocumentHead, findDocument } from '../http/document.ts';
import type { HttpClient } from '../http/http-client.ts';
import { firstOf, inTurns } from '../waiting.ts';
import { BEGINNING, reachHead, type StreamProfile } from './discover.ts';
import type { FollowRun } from './run.ts';
import type { FollowEvent, LiveStream, StateOf, TreeStream } from './state.ts';

/*
 * Reading by pull: the activities of `waiting`, `pulling` and `repairing`.
 *
 *   planned instant -> page after the position -> its members, through the gate -> its next page ... -> head -> next plan
 *   GET S/pages?after=k3x9a-42 -> 43, 44 -> position k3x9a-44 -> { name: 'caught-up', found: true }
 *
 * A page that ends before the position is an old copy, or the log went back: it is asked for again past caches first.
 */

// How often a page that ends before the position is asked for again past caches before it means that the log went back.
const BEHIND_LIMIT = 3;

/** Waits until the next poll is due, or somebody who shares it has begun it. */
export async function waitForPoll(run: FollowRun, { stream, choice }: StateOf<'waiting'>): Promise<FollowEvent> {
  const { connection, gate, signal, options } = run;
  const isTree = stream.kind === 'tree';
  // Another follower has read something newer.
  if (!isTree && gate.isBefore(connection.planner.newest?.cursor)) return { name: 'due' };
  const dueMs = (isTree ? stream : connection).planner.dueMs(options.clock());
  if (dueMs === undefined) return { name: 'due' };
  if (choice.malMs !== connection.malMs) return { name: 're-evaluate' };
  const first = await firstOf(signal, {
    due: (ended) => connection.jumps.sleepUntil(dueMs, ended),
    // The pages of a tree are those of each follower, and so is when they are looked at.
    polled: isTree ? undefined : (ended) => connection.polled.wait(ended),
    changed: (ended) => connection.changed.wait(ended),
  });
  if (first === 'due' && !isTree) connection.polled.notify();
  return { name: first === 'changed' ? 're-evaluate' : 'due' };
}

/** Reads what follows the position, up to the head. */
export function pollPages(run: FollowRun, stream: LiveStream): Promise<FollowEvent> {
  // A document that was cut or old may sit in a cache: asking the same again would give the same again.
  const isCut = isStreamError(run.state.trouble?.error, 'ERR_DOCUMENT_INCOMPLETE');
  return readPages(run, stream, { revalidate: isCut || run.pages.timesBehind > 0, until: 0 });
}

/** Reads up to the event that showed that something is missing before it, or whatever a silent connection did not bring. */
export async function repair(run: FollowRun, { stream, seat, task }: StateOf<'repairing'>): Promise<FollowEvent> {
  const isProbe = task.kind === 'probe';
  const event = await readPages(run, stream, { revalidate: !isProbe, until: isProbe ? 0 : task.to });
  if (isProbe && event.name === 'caught-up' && event.found) seat.connection.retire();
  return event;
}

async function readPages(
  run: FollowRun,
  stream: LiveStream,
  { revalidate, until }: { revalidate: boolean; until: number },
): Promise<FollowEvent> {
  const { connection, gate, pages, signal, options } = run;
  const { profile } = stream;
  const startedAt = gate.sequence;
  if (revalidate) pages.forget();
  for (let fruitless = 0; fruitless < 2; ) {
    const position = gate.position as Cursor;
    const askedMs = options.clock();
    const page = await pages.read(profile, position, { signal, revalidate });
    connection.planner.measured(options.clock() - askedMs);
    if (page.kind === 'shortened' && options.from === 'start') {
      // Whoever asked for the oldest that there is has missed nothing.
      gate.restart({ epoch: position.epoch, sequence: page.first - 1 });
      continue;
    }
    if (page.kind === 'gone' || page.kind === 'shortened' || pages.timesBehind > BEHIND_LIMIT) {
      pages.timesBehind = 0;
      return { name: 'gap', lost: gate.lose('pull') };
    }
    if (page.kind === 'behind') throw outOfDate(page.url, `ends before ${formatCursor(position)}`);
    for (const [index, member] of page.members.entries()) {
      if (gate.accept(member) !== 'next') continue;
      const next = page.members[index + 1];
      // Its commit may go on over the end of a page that is not the last.
      const endsCommit = next ? next.time !== member.time : !page.more;
      await gate.tell(member, { via: 'pull', endsCommit });
    }
    if (!page.more) {
      if (gate.sequence < until) throw outOfDate(page.head.url, `ends before sequence ${until}`);
      const found = gate.sequence > startedAt;
      return { name: 'caught-up', stream: reachHead(run, stream, page.head), found };
    }
    fruitless = page.members.length === 0 ? fruitless + 1 : 0;
  }
  // The way to a position may lead over the page before it, but not further back.
  throw outOfDate(profile.pagesUrl, 'links to pages without further members');
}

/** Plans the next run over an LDES that is not ours, by the MAL that rules now. */
export function planTree({ connection, options }: FollowRun, { planner, reading }: TreeStream): void {
  planner.planned(reading.plan(connection.malMs), options.clock());
}

/** Reads what was not delivered yet: one synchronisation run, anew where the publisher kept too little to go on. */
export async function readTree(run: FollowRun, stream: TreeStream): Promise<FollowEvent> {
  const { connection, gate, signal } = run;
  const successor = await stream.reading.successor(connection.malMs, signal);
  const followed = successor ? { ...stream, reading: successor } : stream;
  if (successor) {
    const { cursor, via } = gate.lose('pull');
    run.note({ stream: followed, isCaughtUp: false });
    gate.restart(BEGINNING);
    await gate.tellGap({ cursor: formatCursor(BEGINNING), from: formatCursor(cursor), via });
  }
  const startedAt = gate.sequence;
  const batches = followed.reading.run(signal);
  try {
    for (;;) {
      const { done, value } = await batches.next();
      if (done) {
        planTree(run, followed);
        run.atHead(value.currentAtMs);
        if (value.finished) return { name: 'finished' };
        return { name: 'caught-up', stream: followed, found: gate.sequence > startedAt };
      }
      // They are numbered as they come: each is the next.
      for await (const part of inTurns(value)) await gate.tellEach(part, { via: 'pull', endsCommit: true });
    }
  } finally {
    // A page that a reader has left in its middle is read to its end by the next run.
    await batches.return(undefined as never);
  }
}

function outOfDate(url: string, problem: string) {
  return errors.ERR_DOCUMENT_INCOMPLETE({ url, problem });
}

type PageRead =
  /** The members after the position, and whether another page follows. */
  | { readonly kind: 'page'; readonly members: readonly Member[]; readonly more: boolean; readonly head: DocumentHead }
  /** The log does not go on from the position: it was rebuilt, or no longer holds what follows. */
  | { readonly kind: 'gone' }
  /** Nothing was read yet, and the log no longer holds its first members: this is the first that it does. */
  | { readonly kind: 'shortened'; readonly first: number }
  /** The page ends before the position: it is out of date, or the log went back. */
  | { readonly kind: 'behind'; readonly url: string };

interface Place {
  readonly url: string;
  /** The position from which the page is the one to read. */
  readonly sequence: number;
  readonly etag?: string | undefined;
}

/**
 * The walk over a stream's pages: to the page that holds what follows a position, from sealed page to next page, and from the
 * open page to the delta page after each position. Where a server has none, the open page is asked for by its entity tag.
 */
export class PageWalk {
  /** Pages in a row that ended before the position: the first, and those that were asked for past caches after it. */
  timesBehind = 0;
  readonly #http: HttpClient;
  #place: Place | undefined;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Goes on from a document that holds everything up to a cursor, where it says how. */
  goOn({ url, links }: Pick<DocumentHead, 'url' | 'links'>, cursor: Cursor): void {
    const tail = findLink(links, relations.tail)?.target;
    if (tail !== undefined && tail !== url) this.#place = { url: tail, sequence: cursor.sequence };
  }

  /** The next read looks for the way anew. */
  forget(): void {
    this.#place = undefined;
  }

  /**
   * Reads the page after a position; a sealed page is never asked for twice. Where the page before led to one that
   * retention removed, the way is asked for from the position, whose answer tells whether that is still held.
   */
  async read(
    profile: StreamProfile,
    position: Cursor,
    request: { readonly signal: AbortSignal; readonly revalidate: boolean },
  ): Promise<PageRead> {
    const place = this.#place?.sequence === position.sequence ? this.#place : undefined;
    this.forget();
    const asked = place?.url ?? pageAfter(profile.pagesUrl, position);
    const page = await findDocument([404, 410], this.#http, asked, { ...request, etag: place?.etag });
    if (page?.cursor?.epoch !== position.epoch) {
      // Only the way from the position itself can tell that it leads nowhere. A page without a cursor stands for one
      // that retention removed, or is cut.
      if (place) return await this.read(profile, position, request);
      if (page && !page.cursor) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: page.url, problem: 'states no cursor' });
      return { kind: 'gone' };
    }
    const { quads, ...head } = page;
    const { cursor } = page;
    const { url, etag } = head;
    const next = findLink(head.links, relations.nextPage)?.target;
    if (cursor.sequence < position.sequence && next === undefined) {
      // The first may come from a cache: only answers from beyond it say more.
      if (request.revalidate || this.timesBehind === 0) this.timesBehind += 1;
      return { kind: 'behind', url };
    }
    this.timesBehind = 0;
    const found = quads ? readMembers(quads, profile.context) : [];
    const first = found[0]?.sequence ?? cursor.sequence + 1;
    // A page without any members may be one that was cut: it has to say so past all caches.
    const isSure = found.length > 0 || (quads !== undefined && request.revalidate);
    if (position.sequence === 0 && isSure && first > 1) return { kind: 'shortened', first };
    const members = found.filter((member) => member.sequence > position.sequence);
    checkComplete(members, position.sequence, cursor.sequence, url);
    const sequence = Math.max(position.sequence, cursor.sequence);
    if (next !== undefined) this.#place = { url: next, sequence };
    else {
      this.#place = { url, sequence, etag };
      // What is new after this document has one of its own, which is as small as what is new.
      this.goOn(head, { ...cursor, sequence });
    }
    // A page with news costs nothing of the budget.
    if (members.length > 0) this.#http.refund(head.receipt);
    return { kind: 'page', members, more: next !== undefined, head };
  }
}

function pageAfter(pagesUrl: string, position: Cursor): string {
  const url = new URL(pagesUrl);
  url.searchParams.set('after', formatCursor(position));
  return url.href;
}

// A body that was cut where a line ended is well-formed RDF: only the cursor tells that members are missing.
function checkComplete(members: readonly Member[], after: number, last: number, url: string): void {
  const broken = members.findIndex((member, index) => member.sequence !== after + index + 1);
  const missing = broken >= 0 ? after + broken + 1 : after + members.length + 1;
  if (broken >= 0 || missing <= last) {
    throw errors.ERR_DOCUMENT_INCOMPLETE({ url, problem: `lacks the member of sequence ${missing}` });
  }
}
