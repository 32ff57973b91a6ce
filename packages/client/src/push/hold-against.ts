import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { type FollowSession, retryAfterOf } from '../follow/follow-session.ts';
import { type PushTrust, pushStruck, type TrustCircumstances } from './push-trust.ts';

/** How a fault is judged: {@link pushStruck} or `pushRefused`. */
type Judgement = (trust: PushTrust, problem: string, circumstances: TrustCircumstances) => PushTrust;

/**
 * Holds a fault against push: once for a connection, however many followers it meets, or for an attempt to open one.
 *
 * @param fault - in words, or the error that it came with
 * @see specs/mal.md MAL-45, MAL-85
 */
export function holdAgainst(session: FollowSession, judge: Judgement, fault: string | StreamError): void {
  const { clock, random, share } = session.options;
  const error = isStreamError(fault) ? fault : undefined;
  const cause = session.push?.connection ?? error;
  if (!cause || !share.isNews(cause)) return;
  const retryAfterMs = error && retryAfterOf(error);
  const circumstances = { nowMs: clock(), random: random(), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  share.trust = judge(share.trust, error?.message ?? String(fault), circumstances);
}

/**
 * Judges a repair that failed: the connection is of no more use, since it may still hide something. Where the pages, as they
 * are, do not reach what its events told of, that is held against push.
 */
export function judgeRepair(session: FollowSession, error: unknown): void {
  session.push?.retire();
  const isAboutPush = session.doubt === undefined && isStreamError(error, 'ERR_DOCUMENT_INCOMPLETE');
  if (isAboutPush) holdAgainst(session, pushStruck, 'push tells of members that the pages do not hold');
}
