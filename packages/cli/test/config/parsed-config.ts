import { isStreamError } from '@ldes-live/rdf-stream';
import { type Config, parseConfig } from '../../src/config/parse-config.ts';

/** What every configuration begins with. */
export const HEAD = 'publicUrl: https://live.example.org/\n';
/** What every stream has. */
export const source = 'source: { gtfsRt: "http://a.example/", every: 20s }';

/** Reads a configuration where the environment variable KEY is set. */
export const parse = (text: string): Config => parseConfig(text, 'live.yml', { KEY: 'secret' }).config;

/** The lines that name the mistakes of a configuration. */
export function mistakesOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (isStreamError(error, 'ERR_CONFIG_INVALID')) return error.details.problems as string[];
    throw error;
  }
  throw new Error('the configuration was accepted');
}
