import { isStreamError } from '@ldes-live/rdf-stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseConfig } from '../../src/config/parse-config.ts';
import { type Config, configJsonSchema } from '../../src/config/schema.ts';

/** What every configuration begins with. */
export const HEAD = 'publicUrl: https://live.example.org/\n';
/** What every stream has. */
export const source = 'source: { gtfsRt: "http://a.example/", every: 20s }';

/** Whether the JSON Schema accepts a value. */
export const isAccepted = new Ajv2020({ strictRequired: false, allowUnionTypes: true }).compile(configJsonSchema());

/** Reads a configuration where the environment variable KEY is set. The JSON Schema has to accept what is read. */
export function parse(text: string): Config {
  const { config } = parseConfig(text, 'live.yml', { KEY: 'secret' });
  expect([isAccepted(parseYaml(text)), isAccepted.errors]).toEqual([true, null]);
  return config;
}

/** The lines that name the mistakes of a configuration. */
export function mistakesOf(text: string): readonly string[] {
  try {
    parseConfig(text, 'live.yml', { KEY: 'secret' });
  } catch (error) {
    if (isStreamError(error, 'ERR_CONFIG_INVALID')) return error.details.problems as string[];
    throw error;
  }
  throw new Error('the configuration was accepted');
}
