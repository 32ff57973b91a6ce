import type { Environment } from '../environment.ts';
import { newToken } from './new-token.ts';

/** Prints a new token and its hash: the token is for whoever posts, the hash for the configuration. */
export function printToken({ stdout }: Pick<Environment, 'stdout'>): void {
  const { token, hash } = newToken();
  stdout.write(`token: ${token}\nhash:  ${hash}\n`);
}
