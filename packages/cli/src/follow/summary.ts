/*
 * What a follower reads, in lines for people: how it reads and why, how the sources of the stream are, what changed.
 *
 *   status  -> 10:04:05  push: MAL 1 s is below the break-even of 10 s
 *   changes -> 10:04:06  push  1 new, 2 changed  lag 20 ms
 *                        Tram 101: speed 5.4, latitude 51.02
 */
import type { Change, GapChange, LiveStatus, MemberChange, SourceStatus } from '@ldes-live/client';
import { toObject } from '@ldes-live/client/json';
import { dct, type Member } from '@ldes-live/rdf-stream';
import { clockTime, formatLag, formatSpan, localTimes, plainText, plural } from '../terminal.ts';

type SummaryStatus = Pick<LiveStatus, 'mode' | 'reason' | 'isInTrouble' | 'isCaughtUp' | 'source' | 'dataAgeMs'>;

const SHOWN_ENTITIES = 3;
const NAME_CHARACTERS = 40;
const VALUE_CHARACTERS = 40;
const VALUES_CHARACTERS = 120;
// Below the time of day, two spaces after it.
const INDENT = ' '.repeat(10);

export class Summary {
  readonly #entities = new EntityMemory();
  readonly #feed = new FeedNews();
  readonly #trouble = new ErrorStateNews();
  #lastReason = '';

  /** The lines for mode and reason, and for the sources; none while they are what was reported last. */
  statusLines(status: SummaryStatus, nowMs: number): string {
    const reason = `${status.mode}: ${status.reason}`;
    const lines = [
      // What the trouble is stands in the reason.
      ...this.#trouble.lines(status.isInTrouble ? '' : undefined, nowMs),
      ...(reason === this.#lastReason ? [] : [localTimes(reason, nowMs)]),
      ...this.#feed.lines(status, nowMs),
    ];
    this.#lastReason = reason;
    return lines.map((line) => `${clockTime(nowMs)}  ${line}\n`).join('');
  }

  /** The lines for changes that arrived together: for each way they came, with the values of some entities; for each gap. */
  async changeLines(changes: readonly Change[], nowMs: number): Promise<string> {
    let text = '';
    let run: MemberChange[] = [];
    for (const [index, change] of changes.entries()) {
      if (change.kind === 'gap') {
        this.#entities.clear();
        text += gapLine(change, nowMs);
        continue;
      }
      run.push(change);
      const next = changes[index + 1];
      // A line names one way, and one may have taken over from the other within a batch.
      if (next && next.kind !== 'gap' && next.via === change.via) continue;
      text += await this.#runLines(run, nowMs);
      run = [];
    }
    return text;
  }

  async #runLines(changes: readonly MemberChange[], nowMs: number): Promise<string> {
    const counts = { new: 0, changed: 0, gone: 0 };
    const last = new Map<string, MemberChange>();
    for (const change of changes) {
      counts[this.#entities.changeLabel(change)] += 1;
      last.set(change.member.entity, change);
    }
    const labels = Object.entries(counts).flatMap(([label, count]) => (count > 0 ? [`${count} ${label}`] : []));
    // What was measured of these changes alone: what is expected of the next one is another matter.
    const lagsMs = changes.flatMap(({ isLive, lagMs }) => (isLive ? [lagMs] : []));
    const lag = lagsMs.length === 0 ? '' : `  lag ${formatSpan(Math.max(...lagsMs))}`;
    const lines = [`${clockTime(nowMs)}  ${changes[0]?.via}  ${labels.join(', ')}${lag}`];
    for (const change of [...last.values()].slice(0, SHOWN_ENTITIES)) {
      const values = change.kind === 'delete' ? 'gone' : cut(await this.#entities.values(change), VALUES_CHARACTERS);
      lines.push(`${INDENT}${entityName(change.member)}${values === '' ? '' : `: ${values}`}`);
    }
    const more = last.size - SHOWN_ENTITIES;
    if (more > 0) lines.push(`${INDENT}and ${more} more`);
    return `${lines.join('\n')}\n`;
  }
}

/** What a change is to a reader who saw those before it. */
export type ChangeLabel = 'new' | 'changed' | 'gone';

// Where each member is an entity of its own, there is no end of them: those that changed longest ago are forgotten.
const LIMIT_ENTITIES = 100_000;
const LIMIT_OBJECTS = 1000;

/** What stands elsewhere in a line: the name, and when which version was published. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'id type label title name identifier generatedAtTime resultTime sequence isVersionOf'.split(' '),
);

/** Remembers which entities were reported, and with what values, to tell what is new. */
export class EntityMemory {
  readonly #known = new Set<string>();
  readonly #objects = new Map<string, Record<string, unknown>>();
  readonly #limit: number;

  /** @param limit - the most entities that are remembered */
  constructor(limit = LIMIT_ENTITIES) {
    this.#limit = limit;
  }

  /** What a change is after those that were labelled before it. */
  changeLabel({ kind, inFilter, member: { entity } }: MemberChange): ChangeLabel {
    const wasKnown = this.#known.delete(entity);
    if (kind === 'delete' || !inFilter) return 'gone';
    this.#known.add(entity);
    forgetOldest(this.#known, this.#limit);
    return wasKnown ? 'changed' : 'new';
  }

  /** The values of a version that its predecessor did not have, `speed 5.4, latitude 51.02`; all, where none was seen. */
  async values({ kind, member }: MemberChange): Promise<string> {
    const before = this.#objects.get(member.entity);
    this.#objects.delete(member.entity);
    if (kind === 'delete') return '';
    const object = await toObject(member);
    this.#objects.set(member.entity, object);
    forgetOldest(this.#objects, LIMIT_OBJECTS);
    return (
      Object.entries(object)
        .filter(([key, value]) => !ELSEWHERE.has(key) && JSON.stringify(value) !== JSON.stringify(before?.[key]))
        // Numbers are what changes most.
        .sort(([, left], [, right]) => Number(typeof right === 'number') - Number(typeof left === 'number'))
        .map(([key, value]) => `${plainText(key)} ${shown(value)}`)
        .join(', ')
    );
  }

  /** Forgets all: after a gap every entity is new. */
  clear(): void {
    this.#known.clear();
  }
}

function forgetOldest(entities: Set<string> | Map<string, unknown>, limit: number): void {
  const [oldest] = entities.keys();
  if (entities.size > limit) entities.delete(oldest as string);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Of an IRI the end says more than the beginning.
  return cut(plainText(/^https?:/.test(text) ? iriName(text) : text), VALUE_CHARACTERS);
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}

const LABELS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2000/01/rdf-schema#label',
  dct.title,
  'http://schema.org/name',
  'http://xmlns.com/foaf/0.1/name',
]);

/** What to call an entity in a line for people: its label if this version has one, else the end of its IRI. */
export function entityName({ id, entity, quads }: Member): string {
  const label = quads.find(({ subject, predicate }) => subject.value === id && LABELS.has(predicate.value))?.object;
  return cut(plainText(label?.termType === 'Literal' ? label.value : iriName(entity)), NAME_CHARACTERS);
}

/** The key of an entity from a feed, without what makes it unique over days; else the end of the IRI. */
function iriName(iri: string): string {
  const key = /\/entities\/[a-z-]+\/([^/]+)/.exec(iri)?.[1] ?? iri.split(/(?<=[/#])(?!$)/).at(-1) ?? iri;
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Reports once that trouble begins, and once that it is over. */
export class ErrorStateNews {
  #sinceMs: number | undefined;

  /** @param trouble - what it is, empty where that is reported elsewhere; absent where there is none */
  lines(trouble: string | undefined, nowMs: number): string[] {
    const sinceMs = this.#sinceMs;
    this.#sinceMs = trouble === undefined ? undefined : (sinceMs ?? nowMs);
    if (trouble !== undefined) return trouble === '' || sinceMs !== undefined ? [] : [localTimes(trouble, nowMs)];
    return sinceMs === undefined ? [] : [`working again after ${formatSpan(Math.max(0, nowMs - sinceMs))}`];
  }
}

/** What is said of a server that is cut off from the one that publishes: that its sources fail is not known then. */
export const LOST = 'this server cannot reach the other nodes';

type FailingSource = Extract<SourceStatus, { readonly state: 'failing' }>;

/** Reports once that what brings the data to a stream fails, and once that it works again. */
export class FeedNews {
  #failing: FailingSource | undefined;

  /** The line for what has become different, without the time of day; none where nothing has. */
  lines(
    { source, dataAgeMs, isCaughtUp }: Pick<SummaryStatus, 'source' | 'dataAgeMs' | 'isCaughtUp'>,
    nowMs: number,
  ): string[] {
    const failing = source?.state === 'failing' ? source : undefined;
    const before = this.#failing;
    const isSame = failing?.since === before?.since && failing?.completeTo === before?.completeTo;
    // While the first is on its way, the age of the data is not known yet.
    if (isSame || (dataAgeMs === undefined && !isCaughtUp)) return [];
    this.#failing = failing;
    if (failing) return [failingText(failing, dataAgeMs, nowMs)];
    const again =
      before?.completeTo === undefined ? 'the source works again' : 'this server reaches the other nodes again';
    return source ? [again + ageText(dataAgeMs)] : [];
  }
}

/** Since when what brings the data to a stream fails, and how old they are. */
export function failingText(
  { since, completeTo }: FailingSource,
  dataAgeMs: number | undefined,
  nowMs: number,
): string {
  const text = completeTo === undefined ? `the source has been failing since ${since}` : `${LOST} since ${completeTo}`;
  return localTimes(`${text}${ageText(dataAgeMs)}`, nowMs);
}

function ageText(dataAgeMs: number | undefined): string {
  return dataAgeMs === undefined ? '' : `; the newest data are ${formatSpan(dataAgeMs)} old`;
}

export function gapLine({ from }: GapChange, nowMs: number): string {
  return `${clockTime(nowMs)}  gap   ${from} cannot be continued: the latest state follows\n`;
}

/** What was measured of the updates that came, and what is expected of the next one. */
export function lagText(
  { updates, maxLagMs, malMisses, lagBoundMs }: Pick<LiveStatus, 'updates' | 'maxLagMs' | 'malMisses' | 'lagBoundMs'>,
  mal: number,
  isFinished: boolean,
): string {
  const worst = updates === 0 ? '' : `, at most ${formatLag(maxLagMs, mal * 1000)} late`;
  const measured = `${plural(updates, 'update')}${worst}, ${malMisses} over the MAL of ${mal} s`;
  if (isFinished) return `${measured}; the stream has ended`;
  if (!isExpectation(lagBoundMs)) return measured;
  const within = `the next one is expected within ${formatLag(lagBoundMs, mal * 1000)}`;
  return `${measured}; ${within}${lagBoundMs <= mal * 1000 ? '' : ', over the MAL'}`;
}

/** Whether a lag bound says anything: by push it is 0 before the first delivery, and `Infinity` before the first read. */
export function isExpectation(lagBoundMs: number): boolean {
  return lagBoundMs > 0 && Number.isFinite(lagBoundMs);
}
