import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from './environment.ts';
import { errors } from './errors.ts';
import { printText } from './terminal.ts';

/** Makes a token of 32 bytes that nobody guesses, for whoever posts or reads, and its SHA-256 for the configuration. */
export function newToken() {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
}

export async function printToken(_: unknown, { stdout }: Pick<Environment, 'stdout'>): Promise<void> {
  const { token, hash } = newToken();
  await printText(stdout, `token: ${token}\nhash:  ${hash}\n`);
}

/** The header fields with the token that an environment variable holds; none where no variable is named. */
export function tokenFields(
  name: string | undefined,
  { env }: Pick<Environment, 'env'>,
): { readonly authorization?: string } {
  if (name === undefined) return {};
  const token = env[name];
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    // Its value is a secret, whatever is wrong with it.
    const problem = `--token-env names ${name}, which ${token === undefined ? 'is not set' : 'holds no token'}.`;
    throw errors.ERR_USAGE({ command: 'ldes-live', problem });
  }
  return { authorization: `Bearer ${token}` };
}
