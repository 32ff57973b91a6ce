import type { Quad } from '@rdfjs/types';
import { writeQuads } from '../write-rdf.ts';
import type { MessageTextFormat } from './parse-messages.ts';

/** What our messages hold is RDF 1.1. */
const VERSION = 'VERSION "1.1-messages"\n';
const DELIMITER = 'MESSAGE\n';

/**
 * Writes a log of RDF Messages: in a format of the Turtle family with delimiters, or as NDJSON-LD, a message a line.
 *
 * @param messages - one or more; a log of none cannot be told from one of an empty message
 * @param prefixes - namespaces by prefix, for Turtle, TriG and JSON-LD
 * @throws {@link StreamError} as {@link writeQuads} does
 * @see specs/messages.md MSG-7, MSG-8
 */
export function writeMessages(
  messages: readonly (readonly Quad[])[],
  format: MessageTextFormat | 'ndjsonld',
  prefixes: Readonly<Record<string, string>>,
): string {
  if (format === 'ndjsonld') return messages.map((quads) => `${jsonLine(quads, prefixes)}\n`).join('');
  const last = messages.length - 1;
  const texts = messages.map((quads, index) => {
    // The end of the text ends a message that holds something; an empty one has only its delimiter to be told by.
    const isDelimited = index < last || quads.length === 0;
    return `${writeQuads(quads, format, prefixes)}${isDelimited ? DELIMITER : ''}`;
  });
  return VERSION + texts.join('');
}

function jsonLine(quads: readonly Quad[], prefixes: Readonly<Record<string, string>>): string {
  return quads.length === 0 ? '{}' : writeQuads(quads, 'jsonld', prefixes);
}
