import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { formats } from '../protocol.ts';
import { malformedText } from '../read-rdf.ts';
import { relabelBlankNodes } from '../terms.ts';
import { MessageCollector } from './message-collector.ts';

/** The text formats that messages are written in. */
export type MessageTextFormat = 'turtle' | 'trig' | 'nquads' | 'ntriples';

/**
 * Reads a log of RDF Messages in one of the Turtle family's formats: each message is what stands between two delimiters. A
 * document that does not say that it holds messages is one message.
 *
 * Blank nodes are of their message alone: their labels are new ones, `m<number>b0` for the first of a message, and so on.
 *
 * @param baseIri - what relative IRIs are resolved against
 * @returns the messages in order, empty ones included
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format; a delimiter without the version that allows
 *   it, or within a graph
 * @see specs/messages.md MSG-1 to MSG-6
 */
export function parseMessages(text: string, format: MessageTextFormat, baseIri: string): Quad[][] {
  const collector = new MessageCollector();
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  const options = { format: formats[format].mediaType, baseIRI: baseIri, directives: ['message'] };
  // Its types lag behind: directives, versions and their listeners are of 2.13.
  const parser = new Parser({ ...options, parseUnsupportedVersions: true } as never);
  const listeners = {
    onQuad: (error: Error | null, quad: Quad | null) => {
      if (error) fail(error);
      else if (quad) collector.add(quad);
    },
    onVersion: (version: string | { readonly value: string }) => {
      collector.version(typeof version === 'string' ? version : version.value);
    },
    onDirective: () => {
      if (!collector.delimit()) fail(new Error('MESSAGE needs a version such as VERSION "1.1-messages" before it.'));
    },
  };
  // Of a stream, as which it would read a text only later.
  parser.parse(emitted(text) as never, listeners as never);
  if (failure) throw malformedText(format, failure);
  return collector.end().map((quads, index) => relabelBlankNodes(quads, index));
}

/** A stream that emits a text at once to whoever has listened to its end. */
function emitted(text: string) {
  let take: (piece: string) => void = () => {};
  return {
    on(event: string, listener: (piece?: string) => void) {
      if (event === 'data') take = listener;
      if (event !== 'end') return;
      take(text);
      listener();
    },
  };
}
