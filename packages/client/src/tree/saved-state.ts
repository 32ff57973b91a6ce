/*
 * Where the reading of a tree is, as JSON: written, checked, and read back. Pages and members are named by hashes.
 *
 * { version: 1, runs: 1, sequence: 3, pages: [{ url: 'https://...', time: 0, sequence: 0, contents: 'Ab3...' }],
 *   parents: [], done: 'x7Q...', recent: 'Ab3...', places: [1767225600000, 1000], isPart: false }
 */
import { errors } from '../errors.ts';
import { EVERYTHING, type Interval } from './order.ts';
import { isPageUrl } from './page.ts';
import type { TreePages } from './pages.ts';

type SavedInterval = readonly [low: number | null, high: number | null, flags: number] | 0;

interface SavedPage {
  readonly url: string;
  /** Which of the state's `parents` led to it. */
  readonly parent?: number;
  readonly time: SavedInterval;
  readonly sequence: SavedInterval;
  /** Members that were handed out, of a page that was not handed out to its end. */
  readonly taken?: string;
  /** What a page had when it was read to its end last; absent when that is not known. */
  readonly contents?: string;
  readonly etag?: string;
  /** URL to which it redirected. */
  readonly target?: string;
}

/**
 * Where the reading of a tree is, as JSON: about 100 bytes for each page that is to be read or may change, 9 for
 * each that will not, 9 for each member of those that may, and at most 40,000 for the newest members. Within a run after the
 * first come 20 for each member that it handed out.
 */
export interface TreeState {
  readonly version: 1;
  /** How many synchronisation runs were completed. */
  readonly runs: number;
  /** How many members were handed out. */
  readonly sequence: number;
  /** Where reading began, for a reader of what is new only: epoch milliseconds. */
  readonly sinceMs?: number;
  /**
   * The instant up to which nothing published is missing, but for what is said to wait here: epoch milliseconds of the
   * server; absent before the end of the first run.
   */
  readonly currentAtMs?: number;
  /** The pages that may have something to tell yet. */
  readonly pages: readonly SavedPage[];
  /** URLs of the pages that led to these, each once. */
  readonly parents: readonly string[];
  /** Hashes of the pages that need not be read again. */
  readonly done: string;
  /** Hashes of the newest members. */
  readonly recent: string;
  /** Their places in the order, each less the one before. */
  readonly places: readonly number[];
  /** Whether there were more than these. */
  readonly isPart: boolean;
  /** Below which new pages have nothing new; absent before the end of the first run. */
  readonly knownBelow?: number;
  /** Members of the first result of `from: 'latest'` that were handed out, while it was not complete. */
  readonly latest?: string;
}

/** The most members of pages that may change whose hashes are saved, where others are known by their place in an order. */
export const SAVED_CONTENTS = 4096;

/**
 * Pages as they are saved.
 *
 * @param isPlaced - whether earlier members are known by their places: in an order, once a run has ended
 * @param waiting - members that were read and not handed out, by hash: on whatever page they stand, they are to be read
 */
export function savedPages(
  pages: TreePages,
  isPlaced: boolean,
  waiting: ReadonlySet<number>,
): Pick<TreeState, 'pages' | 'parents'> {
  let room = isPlaced ? SAVED_CONTENTS : Number.POSITIVE_INFINITY;
  const saved: SavedPage[] = [];
  const parents = new Map<string, number>();
  // The page that was found last is most often the one that grows.
  for (const page of [...pages.known].sort((left, right) => right.order - left.order)) {
    const { url, parent, bounds, taken, etag, target } = page;
    const isRead = page.status === 'open' && page.waiting === 0;
    // A page that is being read once more is saved without its tag, which would hide the rest.
    const contents = page.contents?.filter((hash) => !waiting.has(hash));
    const isSaved = contents !== undefined && contents.length <= room;
    if (isSaved) room -= contents.length;
    if (parent !== undefined && !parents.has(parent)) parents.set(parent, parents.size);
    saved.push({
      url,
      ...(parent === undefined ? {} : { parent: parents.get(parent) as number }),
      time: savedInterval(bounds.time),
      sequence: savedInterval(bounds.sequence),
      ...(taken.length === 0 ? {} : { taken: formatHashes(taken) }),
      ...(isSaved ? { contents: formatHashes(contents) } : {}),
      ...(isSaved && isRead && etag !== undefined ? { etag } : {}),
      ...(target === undefined ? {} : { target }),
    });
  }
  return { pages: saved.reverse(), parents: [...parents.keys()] };
}

/** Puts the pages of a state among the pages to be read or looked at again; the members that they are known to have. */
export function restorePages(state: TreeState, pages: TreePages): number[] {
  const members: number[] = [];
  for (const { url, parent = -1, time, sequence, taken: begun = '', contents: had, etag, target } of state.pages) {
    const bounds = { time: restoredInterval(time), sequence: restoredInterval(sequence) };
    const contents = had === undefined ? undefined : parseHashes(had);
    const taken = parseHashes(begun);
    const given = { taken, parent: state.parents[parent], contents, etag, target };
    pages.add(url, bounds, contents ? 'open' : 'unread', given);
    for (const hash of contents ?? []) members.push(hash);
    for (const hash of taken) members.push(hash);
  }
  return members;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isUrl: Check = (value) => typeof value === 'string' && isPageUrl(value);
const isEnd: Check = (value) => value === null || Number.isFinite(value);
const isInterval: Check = (value) =>
  value === 0 || (Array.isArray(value) && isEnd(value[0]) && isEnd(value[1]) && Number.isSafeInteger(value[2]));
const isListOf = (isItem: Check) => (value: unknown) => Array.isArray(value) && value.every(isItem);
const isMaybe = (isValue: Check) => (value: unknown) => value === undefined || isValue(value);
const isAllOf = (checks: Readonly<Record<string, Check>>) => (value: unknown) =>
  Object.entries(checks).every(([key, isValue]) => isValue((value as Record<string, unknown> | null)?.[key]));

const isSavedPage = isAllOf({
  url: isUrl,
  parent: isMaybe(Number.isSafeInteger),
  time: isInterval,
  sequence: isInterval,
  taken: isMaybe(isText),
  contents: isMaybe(isText),
  etag: isMaybe(isText),
  target: isMaybe(isUrl),
} satisfies Record<keyof SavedPage, Check>);

const isTreeState = isAllOf({
  version: (value) => value === 1,
  runs: Number.isSafeInteger,
  sequence: Number.isSafeInteger,
  sinceMs: isMaybe(Number.isFinite),
  currentAtMs: isMaybe(Number.isFinite),
  pages: isListOf(isSavedPage),
  parents: isListOf(isUrl),
  done: isText,
  recent: isText,
  places: isListOf(Number.isFinite),
  isPart: (value) => typeof value === 'boolean',
  knownBelow: isMaybe(Number.isFinite),
  latest: isMaybe(isText),
} satisfies Record<keyof TreeState, Check>);

/** @throws {@link StreamError} `ERR_TREE_STATE_INVALID` - it is not a state of this kind */
export function checkTreeState(state: unknown): void {
  if (!isTreeState(state)) throw errors.ERR_TREE_STATE_INVALID({ version: (state as Partial<TreeState>)?.version });
}

function savedInterval({ low, high, isHighOpen, isZoneless }: Interval): SavedInterval {
  if (!Number.isFinite(low) && !Number.isFinite(high)) return 0;
  // The first bit had a meaning in earlier states that no reader used.
  const flags = 2 * Number(isHighOpen) + 4 * Number(isZoneless);
  return [Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null, flags];
}

function restoredInterval(saved: SavedInterval): Interval {
  if (saved === 0) return EVERYTHING;
  const [low, high, flags] = saved;
  return {
    low: low ?? EVERYTHING.low,
    high: high ?? EVERYTHING.high,
    isHighOpen: (flags & 2) !== 0,
    isZoneless: (flags & 4) !== 0,
  };
}

/** A hash of 53 bits, above 0. It tells texts apart that nobody chose to collide. */
export function hashText(text: string): number {
  let left = 0x9e3779b9 | 0;
  let right = 0x7f4a7c15 | 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    left = Math.imul(left ^ code, 0x01000193);
    right = Math.imul(right + code, 0x5bd1e995) ^ (right >>> 15);
  }
  left = mixed(left ^ (right >>> 7));
  right = mixed(right + left);
  return (right & 0x1fffff) * 4294967296 + (left >>> 0) || 1;
}

function mixed(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
// Characters of a hash.
const LENGTH = 9;
const CODES = new TextEncoder().encode(DIGITS);
const decoder = new TextDecoder();

export function formatHashes(hashes: Iterable<number>): string {
  const all = [...hashes];
  // A state may be asked for at each member: a text that grows by its digits takes ten times as long.
  const text = new Uint8Array(all.length * LENGTH);
  let at = 0;
  for (const hash of all) {
    const low = hash % 16_777_216;
    const rest = (hash - low) / 16_777_216;
    for (let bits = 0; bits < 24; bits += 6) {
      text[at] = CODES[(low >> bits) & 63] as number;
      text[at + 4] = CODES[(rest >> bits) & 63] as number;
      at += 1;
    }
    text[at + 4] = CODES[Math.floor(rest / 16_777_216)] as number;
    at += 5;
  }
  return decoder.decode(text);
}

/** What is not a hash is ignored. */
export function parseHashes(text: string): number[] {
  const hashes: number[] = [];
  for (let at = 0; at + LENGTH <= text.length; at += LENGTH) {
    let hash = 0;
    for (let digit = LENGTH - 1; digit >= 0; digit -= 1) hash = hash * 64 + DIGITS.indexOf(text[at + digit] as string);
    if (hash > 0) hashes.push(hash);
  }
  return hashes;
}

const SMALLEST = 1024;

/**
 * A set of positive numbers that forgets the oldest: at least half of its limit are remembered, and never more than all of it.
 * It takes 16 to 32 bytes a number.
 */
export class NumberSet {
  hasForgotten = false;
  protected readonly limit: number;
  #young = new Float64Array(SMALLEST);
  #count = 0;
  #old: Float64Array | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  has(value: number): boolean {
    const old = this.#old;
    return this.#young[slot(this.#young, value)] === value || (old !== undefined && old[slot(old, value)] === value);
  }

  add(value: number): void {
    const at = slot(this.#young, value);
    if (this.#young[at] === value) return;
    if (this.#count >= Math.max(1, this.limit / 2)) {
      this.hasForgotten ||= this.#old !== undefined;
      this.#old = this.#young;
      this.#young = new Float64Array(SMALLEST);
      this.#count = 0;
    } else if (this.#count * 2 >= this.#young.length) {
      const larger = new Float64Array(this.#young.length * 2);
      for (const kept of this.#young) if (kept !== 0) larger[slot(larger, kept)] = kept;
      this.#young = larger;
    }
    this.#young[slot(this.#young, value)] = value;
    this.#count += 1;
  }
}

// Where a value is, or would be. The tables are never more than half full.
function slot(table: Float64Array, value: number): number {
  const mask = table.length - 1;
  let at = (value % 4294967296) & mask;
  for (let found = table[at]; found !== 0 && found !== value; found = table[at]) at = (at + 1) & mask;
  return at;
}
