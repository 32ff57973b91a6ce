import { type Draft, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { STAMP_BYTES, stamp } from '../load/stamp.ts';

/** The stream that requests are posted to, and the one that replies are. */
export const REQUESTS = 'requests';
export const REPLIES = 'replies';

/** Who may post to both. */
export const TOKEN = 'token-of-one-measurement';

const EX = 'http://example.org/';
/** What stands before the number of a user, wherever the user is named. */
const USER_MARK = Buffer.from(`${EX}users/`);
const USER_DIGITS = 6;
const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const PAYLOAD = `${EX}payload`;

/** What a request says, and what a reply or an update does, bytes: as was published. */
export const REQUEST_BYTES = 32;
export const REPLY_BYTES = 256;

/** IRI of a user, the subject that its replies are about. */
export function userIri(user: number): string {
  return `${USER_MARK.toString()}${String(user).padStart(USER_DIGITS, '0')}`;
}

/** The type that requests for one provider have, which it follows. */
export function providerType(provider: number): string {
  return `${EX}RequestFor${provider}`;
}

/** Which provider answers a user: always the same one, and each about as many. */
function providerOf(user: number, providers: number): number {
  // Multiplied by 2^32 over the golden ratio, neighbours fall far from each other.
  return Math.floor((Math.imul(user + 1, 0x9e3779b1) >>> 0) / (2 ** 32 / providers));
}

/** A request as N-Quads, with the instant that it was scheduled for. */
export function requestText(user: number, providers: number, stampMicros: number): string {
  const subject = `<${userIri(user)}>`;
  const type = `<${providerType(providerOf(user, providers))}>`;
  return `${subject} ${TYPE} ${type} .\n${subject} <${PAYLOAD}> "${payload(stampMicros, REQUEST_BYTES)}" .\n`;
}

/** The reply to a request as N-Quads, with the instant that the request was scheduled for. */
export function replyText(user: number, stampMicros: number): string {
  return `<${userIri(user)}> <${PAYLOAD}> "${payload(stampMicros, REPLY_BYTES)}" .\n`;
}

/** An update of a user's subject, as large as a reply. */
export function updateDraft(user: number, stampMicros: number): Draft {
  const entity = userIri(user);
  const text = payload(stampMicros, REPLY_BYTES);
  const quads = [quad(namedNode(entity), namedNode(PAYLOAD), literal(text))];
  return { kind: 'upsert', entity, origin: 'bench', fingerprint: text, quads };
}

/** The number of the first user that is named there; -1 where none is before `end`. */
export function readUser(bytes: Buffer, from: number, end: number): number {
  const at = bytes.indexOf(USER_MARK, from);
  const digits = at + USER_MARK.length;
  return at >= 0 && digits + USER_DIGITS <= end ? Number(bytes.toString('latin1', digits, digits + USER_DIGITS)) : -1;
}

function payload(stampMicros: number, bytes: number): string {
  return stamp(stampMicros) + '-'.repeat(bytes - STAMP_BYTES);
}
