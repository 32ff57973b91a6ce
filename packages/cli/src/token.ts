import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from './environment.ts';
import { printText } from './terminal.ts';

/** Makes a token of 32 bytes that nobody guesses, for whoever posts, and its SHA-256 for the configuration. */
export function newToken() {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
}

export async function printToken(_: unknown, { stdout }: Pick<Environment, 'stdout'>): Promise<void> {
  const { token, hash } = newToken();
  await printText(stdout, `token: ${token}\nhash:  ${hash}\n`);
}
