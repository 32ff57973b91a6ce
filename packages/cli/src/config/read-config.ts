import { readFile } from 'node:fs/promises';
import { errors } from '../errors.ts';
import type { Environment } from './expand-environment.ts';
import { type StreamFiles, streamFiles } from './files/stream-files.ts';
import { type Config, parseConfig } from './parse-config.ts';

/** A configuration, and what the files that it names hold. */
export interface LoadedConfig {
  readonly config: Config;
  /** By the names of the streams. */
  readonly files: Readonly<Record<string, StreamFiles>>;
}

/**
 * Reads a configuration file, and the mappings, shapes and contexts that it names.
 *
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE` - there is no such file, or it cannot be read
 * @throws {@link StreamError} `ERR_CONFIG_INVALID` - anything in it, or in a file that it names, is wrong
 */
export async function readConfig(file: string, environment: Environment): Promise<LoadedConfig> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw errors.ERR_CONFIG_UNREADABLE({ file, reason: (error as NodeJS.ErrnoException).code ?? String(error) }, error);
  }
  const parsed = parseConfig(text, file, environment);
  const problems: string[] = [];
  const files: Record<string, StreamFiles> = {};
  for (const [name, { source }] of Object.entries(parsed.config.streams)) {
    files[name] = await streamFiles({ ...parsed, configFile: file, name, source }, problems);
  }
  if (problems.length > 0) throw errors.ERR_CONFIG_INVALID({ file, problems });
  return { config: parsed.config, files };
}
