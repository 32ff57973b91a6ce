import { createHash, randomBytes } from 'node:crypto';

/** Bytes of a token: nobody guesses one. */
const BYTES = 32;

/** A token that may post to a stream, and what a configuration says of it. */
export interface NewToken {
  /** What whoever posts sends; it is kept nowhere else. */
  readonly token: string;
  /** Its SHA-256, 64 hexadecimal digits. */
  readonly hash: string;
}

/** Makes a token that nobody has had. */
export function newToken(): NewToken {
  const token = randomBytes(BYTES).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
}
