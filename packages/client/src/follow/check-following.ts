import { parseCursor } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { parsedUrl } from '../http/http-client.ts';
import type { FollowerState, FollowRequest } from './follow-request.ts';

/** The words for where to start. */
export const START_WORDS = ['latest', 'start', 'now'] as const;
const VERSIONS = ['all', 'newest'];
const ORDERS = ['ascending', 'none'];

/**
 * Checks what is to be followed, before anything is requested.
 *
 * @throws {@link StreamError} `ERR_STREAM_URL_INVALID` - no such URL
 * @throws {@link StreamError} `ERR_OPTION_INVALID` - `from`, `versions` or `order` is none of its values
 * @throws {@link StreamError} `ERR_STATE_INVALID` - the state is none
 * @throws {@link StreamError} `ERR_STATE_MISMATCH` - the state is that of another stream
 * @throws {@link StreamError} `ERR_MAL_INVALID` - the MAL is not a number above 0
 * @throws {@link StreamError} `ERR_RANGE_INVALID` - `after` or `before` is no `xsd:dateTime`, or nothing lies between
 */
export function checkFollowing(url: string, request: FollowRequest): void {
  const { from, versions, order, state, mal, after, before } = request;
  if (!isStreamUrl(url)) throw errors.ERR_STREAM_URL_INVALID({ url });
  if (from !== undefined) checkStart(from);
  checkWord('versions', versions, VERSIONS);
  checkWord('order', order, ORDERS);
  // What a storage without the key gives is null.
  if (state !== undefined && state !== null) checkState(state, url);
  if (mal !== undefined) checkMal(mal);
  for (const [name, instant] of Object.entries({ after, before })) {
    if (instant === undefined || isInstant(instant)) continue;
    throw errors.ERR_RANGE_INVALID({
      after,
      before,
      problem: `The option ${name} is "${instant}", which is no instant.`,
    });
  }
  if (after !== undefined && before !== undefined && Date.parse(after) >= Date.parse(before)) {
    throw errors.ERR_RANGE_INVALID({
      after,
      before,
      problem: `Nothing lies between after ${after} and before ${before}.`,
    });
  }
}

function checkStart(from: string): void {
  if (START_WORDS.some((word) => word === from)) return;
  try {
    parseCursor(from);
  } catch (cause) {
    const expected = `${START_WORDS.join(', ')}, or a cursor as follower.state or a change has it, such as "k3x9a-42"`;
    throw errors.ERR_OPTION_INVALID({ name: 'from', value: from, expected }, cause);
  }
}

function checkWord(name: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || words.some((word) => word === value)) return;
  throw errors.ERR_OPTION_INVALID({ name, value, expected: words.map((word) => `"${word}"`).join(' or ') });
}

function checkState(state: FollowerState, url: string): void {
  if (typeof state?.url !== 'string') throw errors.ERR_STATE_INVALID({ state, problem: 'names no URL' });
  if (state.url !== url) throw errors.ERR_STATE_MISMATCH({ url, stateUrl: state.url });
  if (state.cursor === undefined) return;
  try {
    parseCursor(state.cursor);
  } catch (cause) {
    throw errors.ERR_STATE_INVALID({ state, problem: 'has a cursor that is none' }, cause);
  }
}

/** @throws {@link StreamError} `ERR_MAL_INVALID` - the MAL is not a number above 0 */
export function checkMal(mal: number): void {
  if (!(typeof mal === 'number' && mal > 0 && mal < Number.POSITIVE_INFINITY)) throw errors.ERR_MAL_INVALID({ mal });
}

function isStreamUrl(url: string): boolean {
  const parsed = typeof url === 'string' ? parsedUrl(url) : undefined;
  if (!parsed) return false;
  const { protocol, username, password } = parsed;
  // fetch refuses URLs with credentials.
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

// With its zone: an instant that depends on where the program runs is none.
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));
}
