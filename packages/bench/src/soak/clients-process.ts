/*
 * A process of readers that come and go by the project's own client, of posts and of queries; each checks what it gets.
 *
 *   keepers     follow each stream from its beginning to the end of the run: they have every version, each once
 *   followers   come, follow one stream or a part of it, leave, and half of them go on later where they left
 *   walkers     read all pages that there are, and leave
 *   posts       one version a time, sent again until it is acknowledged: the keeper has each once
 *   queries     one answer at a time, and live ones that come and go
 *
 * Whatever a reader has of a sequence number has to be what the keeper has of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, createLiveClient, type Follower, type FollowerState } from '@ldes-live/client';
import { answerOrders, planOf } from '../processes.ts';
import { seededRandom } from '../timing.ts';
import {
  type ClientsOrder,
  type ClientsPlan,
  type ClientsReport,
  NOTHING,
  STREAMS,
  type StreamName,
} from './clients.ts';

const plan = planOf<ClientsPlan>();
const random = seededRandom(plan.seed);
const counts = { ...NOTHING };
const remarks: string[] = [];
let isSettling = false;

const MAX_REMARKS = 30;
function remark(text: string): void {
  if (remarks.length < MAX_REMARKS && !remarks.includes(text)) remarks.push(text);
}

const urlOf = (stream: StreamName) => `${plan.publicUrl}${stream}`;
const between = (min: number, max: number) => min + random() * (max - min);
const oneOf = <One>(all: readonly One[]) => all[Math.floor(random() * all.length)] as One;

/** What a keeper knows of a stream. */
class Keeper {
  readonly #prints = new Map<number, string>();
  readonly versions = new Map<string, number>();
  reached = 0;

  keep(change: Change & { kind: 'upsert' | 'delete' }, print: string): void {
    this.reached = change.member.sequence;
    this.#prints.set(change.member.sequence, print);
    // As many as may still be read.
    this.#prints.delete(change.member.sequence - REMEMBERED);
  }

  /** Whether that is what the keeper has; what it does not have yet, or no more, may be anything. */
  isAlike(sequence: number, print: string): boolean {
    return (this.#prints.get(sequence) ?? print) === print;
  }
}

const REMEMBERED = 200_000;
const keepers: Readonly<Record<StreamName, Keeper>> = {
  vehicles: new Keeper(),
  sensors: new Keeper(),
  buoys: new Keeper(),
};

function printOf({ member }: Change & { kind: 'upsert' | 'delete' }): string {
  const { id, kind, quads } = member;
  let hash = quads.length;
  for (const { object } of quads) {
    if (object.termType === 'BlankNode') continue;
    for (let at = 0; at < object.value.length; at += 1) hash = (Math.imul(hash, 31) + object.value.charCodeAt(at)) | 0;
  }
  return `${id} ${kind} ${hash}`;
}

/** Checks the order of what one reader gets. */
class OrderCheck {
  #last = new Map<string, number>();
  readonly #stream: StreamName;
  readonly #step: number | undefined;

  /** @param step - from one version of an entity to its next; absent where the reader gets all members */
  constructor(stream: StreamName, step?: number) {
    this.#stream = stream;
    this.#step = step;
  }

  take(change: Change & { kind: 'upsert' | 'delete' }): void {
    const { sequence, entity } = change.member;
    counts.delivered += 1;
    const key = this.#step === undefined ? '' : entity;
    const last = this.#last.get(key);
    const distance = last === undefined ? undefined : (sequence - last) / (this.#step ?? 1);
    if (distance !== undefined && distance <= 0) {
      counts.doubled += 1;
      remark(`${this.#stream}: ${sequence} came after ${last}, by ${change.via}`);
    } else if (distance !== undefined && distance !== 1) {
      counts.lost += Math.max(1, Math.round(distance) - 1);
      remark(`${this.#stream}: ${sequence} came after ${last}, by ${change.via}`);
    }
    this.#last.set(key, Math.max(last ?? 0, sequence));
    const print = printOf(change);
    if (!keepers[this.#stream].isAlike(sequence, print)) {
      counts.unlike += 1;
      remark(`${this.#stream}: ${sequence} is unlike that of the keeper`);
    }
  }
}

/** Reads until it is enough, or to a gap: a state follows, in an order of its own. Resolves to whether there was one. */
async function read(
  stream: StreamName,
  follower: Follower,
  stop: AbortController,
  onChange: (change: Change & { kind: 'upsert' | 'delete' }) => void,
): Promise<boolean> {
  try {
    for await (const change of follower) {
      if (change.kind === 'gap') {
        await judgeGap(stream, change);
        stop.abort();
        return true;
      }
      onChange(change);
    }
  } catch (error) {
    if (stop.signal.aborted) return false;
    counts.failed += 1;
    remark(`a reader failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return false;
}

/** A gap is right where what follows the reader's cursor was erased. */
async function judgeGap(stream: StreamName, { from, via }: Change & { kind: 'gap' }): Promise<void> {
  const metrics = await fetch(`${plan.publicUrl}metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const sample = (name: string) =>
    Number(new RegExp(`^${name}\\{stream="${stream}"\\} (\\S+)$`, 'm').exec(metrics)?.[1]);
  const erased = sample('ldes_live_log_head_sequence') - sample('ldes_live_log_held_members');
  const isRight = !(erased <= Number(from.slice(from.lastIndexOf('-') + 1)));
  counts[isRight ? 'gaps' : 'wrongGaps'] += 1;
  remark(`${stream}: a gap from ${from}, by ${via}; the first ${erased} are erased`);
}

/** Follows a stream for ever; after a gap anew from what there still is. */
async function keep(stream: StreamName): Promise<void> {
  const keeper = keepers[stream];
  for (let isGap = true; isGap; ) {
    const stop = new AbortController();
    const follower = createLiveClient({ mal: 1, random }).follow(urlOf(stream), { from: 'start', signal: stop.signal });
    const order = new OrderCheck(stream);
    isGap = await read(stream, follower, stop, (change) => {
      order.take(change);
      const { id, sequence } = change.member;
      if (sequence <= keeper.reached) return;
      keeper.keep(change, printOf(change));
      if (stream === 'buoys') keeper.versions.set(id, (keeper.versions.get(id) ?? 0) + 1);
    });
  }
  remark(`the keeper of ${stream} ended`);
}

const MAL_SECONDS = [0.5, 2, 12];
const [SHORTEST_STAY_MS, LONGEST_STAY_MS] = [15_000, 120_000];
const [SHORTEST_AWAY_MS, LONGEST_AWAY_MS] = [500, 10_000];
const FILTERED_SHARE = 0.3;
const RESUMED_SHARE = 0.5;
const MAX_ENTITIES = 20;

/** A place for followers, one after the other. */
async function comeAndGo(): Promise<void> {
  let left: { readonly stream: StreamName; readonly state: FollowerState; readonly order: OrderCheck } | undefined;
  while (!isSettling) {
    const stop = new AbortController();
    const mal = oneOf(MAL_SECONDS);
    if (left && random() < RESUMED_SHARE) counts.resumed += 1;
    else left = undefined;
    const stream: StreamName = left?.stream ?? oneOf(STREAMS);
    const isFiltered = !left && stream === 'vehicles' && random() < FILTERED_SHARE;
    const first = Math.floor(random() * (plan.vehicles - MAX_ENTITIES));
    const entity = Array.from({ length: Math.ceil(between(0, MAX_ENTITIES)) }, (_, index) => vehicle(first + index));
    const follower = createLiveClient({ mal, random }).follow(urlOf(stream), {
      signal: stop.signal,
      ...(left ? { state: left.state } : { from: 'now' }),
      ...(isFiltered && { entity }),
    });
    const order = left?.order ?? new OrderCheck(stream, isFiltered ? plan.vehicles : undefined);
    counts.followed += 1;
    const leave = setTimeout(() => stop.abort(), between(SHORTEST_STAY_MS, LONGEST_STAY_MS));
    const isGap = await read(stream, follower, stop, (change) => order.take(change));
    clearTimeout(leave);
    left =
      isGap || isFiltered || follower.state.cursor === undefined ? undefined : { stream, state: follower.state, order };
    await sleep(between(SHORTEST_AWAY_MS, LONGEST_AWAY_MS));
  }
}

function vehicle(index: number): string {
  return `${plan.publicUrl}vehicles/entities/vehicles/${String(index).padStart(6, '0')}`;
}

/** A place for readers of all pages, one after the other. */
async function walk(): Promise<void> {
  while (!isSettling) {
    const stream = oneOf(STREAMS);
    const goal = keepers[stream].reached;
    const stop = new AbortController();
    const follower = createLiveClient({ mal: 5, random }).follow(urlOf(stream), { from: 'start', signal: stop.signal });
    const order = new OrderCheck(stream);
    const tooLate = setTimeout(() => stop.abort(), LONGEST_STAY_MS);
    await read(stream, follower, stop, (change) => {
      order.take(change);
      if (change.member.sequence < goal) return;
      counts.walked += 1;
      stop.abort();
    });
    clearTimeout(tooLate);
    await sleep(between(SHORTEST_AWAY_MS, LONGEST_AWAY_MS));
  }
}

const BUOYS = 50;
const ANSWER_LIMIT_MS = 20_000;
const acknowledged: string[] = [];

async function post(): Promise<void> {
  for (let number = 1; !isSettling; number += 1) {
    const entity = `http://sea.example/buoys/${number % BUOYS}`;
    const id = `${entity}/${number}`;
    const body = `<${id}> <http://purl.org/dc/terms/isVersionOf> <${entity}> ; <http://sea.example/height> ${number} .`;
    // An answer may be lost with its server: the same version is sent again.
    while (!(await isAcknowledged(body))) {
      counts.postedAgain += 1;
      await sleep(between(SHORTEST_AWAY_MS, 2 * SHORTEST_AWAY_MS));
    }
    acknowledged.push(id);
    counts.posted += 1;
    await sleep(plan.postEveryMs);
  }
}

async function isAcknowledged(body: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${plan.token}`, 'content-type': 'text/turtle' };
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  try {
    const response = await fetch(urlOf('buoys'), { method: 'POST', headers, body, signal });
    const text = await response.text();
    if (response.ok) return true;
    if (response.status !== 503) remark(`a post was answered by ${response.status}: ${text}`);
  } catch {
    // There is no server at the moment.
  }
  return false;
}

const QUERIES = [
  'SELECT (COUNT(*) AS ?count) { ?s ?p ?o }',
  'PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> SELECT ?s ?name { ?s rdfs:label ?name } LIMIT 50',
];
const LIVE_QUERY = 'SELECT ?sensor ?level { ?sensor <http://city.example/level> ?level FILTER(?level > 50) }';

function queryUrl(stream: StreamName, query: string): string {
  return `${urlOf(stream)}/sparql?query=${encodeURIComponent(query)}`;
}

async function ask(): Promise<void> {
  while (!isSettling) {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    try {
      const response = await fetch(queryUrl(oneOf(STREAMS), oneOf(QUERIES)), { signal });
      const text = await response.text();
      if (response.ok) counts.answers += 1;
      else if (response.status === 503) counts.unansweredQueries += 1;
      else {
        counts.refusedQueries += 1;
        remark(`a query was answered by ${response.status}: ${text.slice(0, 300)}`);
      }
    } catch {
      counts.unansweredQueries += 1;
    }
    await sleep(plan.queryEveryMs);
  }
}

/** A place for live queries, one after the other. */
async function askLive(): Promise<void> {
  while (!isSettling) {
    const signal = AbortSignal.timeout(Math.round(between(SHORTEST_STAY_MS, LONGEST_STAY_MS)));
    try {
      const response = await fetch(queryUrl('sensors', LIVE_QUERY), {
        headers: { accept: 'text/event-stream' },
        signal,
      });
      if (response.ok) counts.liveQueries += 1;
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) {
        counts.liveEvents += decoder.decode(bytes).match(/^event: (?:snapshot|update)$/gm)?.length ?? 0;
      }
    } catch {
      // It leaves, or the server does.
    }
    await sleep(between(SHORTEST_AWAY_MS, LONGEST_AWAY_MS));
  }
}

const times = (count: number, run: () => Promise<void>) => {
  for (let begun = 0; begun < count; begun += 1) void run();
};
for (const stream of STREAMS) void keep(stream);
times(plan.followers, comeAndGo);
times(plan.walkers, walk);
times(plan.liveQueries, askLive);
times(1, post);
times(1, ask);

answerOrders<ClientsOrder>({}, ({ order }): ClientsReport => {
  if (order === 'settle') isSettling = true;
  const { versions } = keepers.buoys;
  return {
    counts: { ...counts },
    reached: {
      vehicles: keepers.vehicles.reached,
      sensors: keepers.sensors.reached,
      buoys: keepers.buoys.reached,
    },
    missingPosts: acknowledged.filter((id) => !versions.has(id)).length,
    doubledPosts: acknowledged.filter((id) => (versions.get(id) ?? 0) > 1).length,
    remarks,
  };
});
