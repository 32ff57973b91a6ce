import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from './environment.ts';

/** Bytes of a token: nobody guesses one. */
const BYTES = 32;

/** A token that may post to a stream. */
interface NewToken {
  /** What whoever posts sends; it is kept nowhere else. */
  readonly token: string;
  /** What a configuration says of it: its SHA-256, 64 hexadecimal digits. */
  readonly hash: string;
}

/** Makes a token that nobody has had. */
export function newToken(): NewToken {
  const token = randomBytes(BYTES).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
}

/** Prints a new token and its hash: the token is for whoever posts, the hash for the configuration. */
export function printToken({ stdout }: Pick<Environment, 'stdout'>): void {
  const { token, hash } = newToken();
  stdout.write(`token: ${token}\nhash:  ${hash}\n`);
}
