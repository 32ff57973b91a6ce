import { readFile } from 'node:fs/promises';
import { errors } from '../errors.ts';
import type { Environment } from './expand-environment.ts';
import { type Config, parseConfig } from './parse-config.ts';

/**
 * Reads a configuration file.
 *
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE` - there is no such file, or it cannot be read
 * @throws {@link StreamError} `ERR_CONFIG_INVALID` - anything in it is wrong
 */
export async function readConfig(file: string, environment: Environment): Promise<Config> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw errors.ERR_CONFIG_UNREADABLE({ file, reason: (error as NodeJS.ErrnoException).code ?? String(error) }, error);
  }
  return parseConfig(text, file, environment);
}
