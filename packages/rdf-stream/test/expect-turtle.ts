import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { expect } from 'vitest';
import { streamPrefixes } from './sample-stream.ts';

/** Expects quads to be those of a Turtle text, which may use the usual prefixes. */
export async function expectTurtle(quads: readonly Quad[], turtle: string, baseIri: string): Promise<void> {
  const head = Object.entries(streamPrefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);
  expect(await canonical(quads)).toBe(
    await canonicalText([`@base <${baseIri}> .`, ...head, turtle].join('\n'), 'text/turtle'),
  );
}
