// RDF Messages: an archive of a stream, a commit a message. Both ways go in pieces, so that a log of any length passes
// through the memory of its longest message.
//   text in pieces  --readMessages-->  Quad[], Quad[], ...  --writeMessages-->  text, a message a piece
//   VERSION "1.1-messages"
//   <http://x/7#v1> <http://x/speed> "12" .      first message
//   MESSAGE
//   MESSAGE                                      an empty one
//   <http://x/7#v2> <http://x/speed> "15" .      third; a delimiter at the end would begin no other
//   MESSAGE
// As NDJSON-LD each line is a message, `{}` an empty one; {"@context": ...} alone sets the context of the lines after it.
import type { Quad } from '@rdfjs/types';
import { errors, malformed } from './errors.ts';
import { pieceParser } from './n3-parser.ts';
import { formats } from './protocol.ts';
import { parseQuads } from './read-rdf.ts';
import { relabelBlankNodes } from './terms.ts';
import { malformedText, type TextFormat } from './text-reader.ts';
import { writeQuads } from './write-rdf.ts';

/** The formats that messages are written in: those of the Turtle family with delimiters, and JSON-LD a line each. */
export type MessageFormat = TextFormat | 'ndjsonld';

type Items<Item> = AsyncIterable<Item> | Iterable<Item>;
type LoadContext = (url: string) => Promise<object>;

/**
 * Reads a log of RDF Messages, message by message, reading on as they are asked for: also empty ones, and those that are
 * whole before an error. A document of the Turtle family that does not say that it holds messages is one message.
 *
 * Blank nodes are of their message alone: their labels are new ones, `m<number>b0` for the first of a message, and so on.
 *
 * @param text - in pieces that may end anywhere, bytes as UTF-8
 * @param loadContext - loads the JSON-LD document at a URL, parsed. @defaultValue refuses
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format; a delimiter without the version that allows
 * it, or within a graph
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - a remote context, which nobody loads
 * @see specs/messages.md MSG-2, MSG-3, MSG-5, MSG-9
 */
export async function* readMessages(
  text: Items<string | Uint8Array>,
  format: MessageFormat,
  baseIri: string,
  loadContext?: LoadContext,
): AsyncIterable<Quad[]> {
  const pieces = decoded(text, format);
  const messages =
    format === 'ndjsonld' ? lineMessages(pieces, baseIri, loadContext) : delimitedMessages(pieces, format, baseIri);
  let number = 0;
  for await (const quads of messages) yield relabelBlankNodes(quads, number++);
}

async function* decoded(text: Items<string | Uint8Array>, format: MessageFormat): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw errors.ERR_RDF_MALFORMED({ format, problem: 'it is not UTF-8.' }, cause);
    }
  };
  for await (const piece of text) yield typeof piece === 'string' ? piece : decode(piece);
  yield decode();
}

// Characters that are made statements of at a time: a few may stand for many, by prefixes.
const SLICE = 16_384;

// Quads and delimiters become messages in the order in which the parser comes upon them.
async function* delimitedMessages(pieces: AsyncIterable<string>, format: TextFormat, baseIRI: string) {
  const whole: Quad[][] = [];
  let current: Quad[] = [];
  let hasDelimiters = false;
  let isFirst = true;
  let failure: unknown;
  const close = () => {
    whole.push(current);
    current = [];
    isFirst = false;
  };
  const { mediaType } = formats[format];
  // Not `N3.StreamParser`: it emits a directive at once, while the quads before it wait in its queue.
  const parser = pieceParser(
    { format: mediaType, baseIRI, directives: ['message'], parseUnsupportedVersions: true },
    {
      onQuad: (error: Error | null, quad: Quad | null) => {
        if (error) failure ??= error;
        else if (quad) current.push(quad);
      },
      // Labels that end in `-messages` announce delimiters.
      onVersion: (version: string | { readonly value: string }) => {
        hasDelimiters ||= (typeof version === 'string' ? version : version.value).endsWith('-messages');
      },
      onDirective: () => {
        if (failure) return;
        if (hasDelimiters) close();
        else failure = new Error('MESSAGE needs a version such as VERSION "1.1-messages" before it.');
      },
    },
  );
  function* ready() {
    yield* whole.splice(0);
    if (failure) throw malformedText(format, failure);
  }
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += SLICE) {
      parser.push(piece.slice(from, from + SLICE));
      yield* ready();
    }
  }
  parser.end();
  // A delimiter at the very end begins no message.
  if (!failure && (current.length > 0 || isFirst)) close();
  yield* ready();
}

async function* lineMessages(pieces: AsyncIterable<string>, baseIri: string, loadContext?: LoadContext) {
  let context: unknown;
  let number = 0;
  for await (const line of linesOf(pieces)) {
    number += 1;
    const object = objectOf(line, number, baseIri);
    const keys = Object.keys(object);
    if (keys.length === 1 && keys[0] === '@context') {
      context = object['@context'];
    } else if (keys.length === 0) {
      yield [];
    } else {
      const document = context === undefined ? object : { '@context': context, '@graph': object };
      yield await parseQuads(JSON.stringify(document), 'jsonld', baseIri, loadContext && { loadContext });
    }
  }
}

// At least one: an empty text is a line that is no message.
async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  // Put together once: a line may come in many pieces.
  let rest: string[] = [];
  let isFirst = true;
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest.push(first);
    for (const next of others) {
      yield rest.join('');
      isFirst = false;
      rest = [next];
    }
  }
  const last = rest.join('');
  if (last !== '' || isFirst) yield last;
}

function objectOf(text: string, line: number, url: string): Record<string, unknown> {
  const place = { url, format: 'jsonld', line };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    throw malformed(place, cause);
  }
  throw errors.ERR_RDF_MALFORMED({ ...place, problem: 'the line is not a JSON object.' });
}

/**
 * Writes a log of RDF Messages, a message a piece: when it comes and its delimiter included, so that readers need not wait
 * for the next.
 *
 * @param messages - one or more; a log of none cannot be told from one of an empty message
 * @param prefixes - namespaces by prefix, for Turtle, TriG and JSON-LD
 * @throws {@link StreamError} as {@link writeQuads} does
 * @see specs/messages.md MSG-7
 */
export async function* writeMessages(
  messages: Items<readonly Quad[]>,
  format: MessageFormat,
  prefixes: Readonly<Record<string, string>>,
): AsyncIterable<string> {
  // What our messages hold is RDF 1.1.
  if (format !== 'ndjsonld') yield 'VERSION "1.1-messages"\n';
  for await (const quads of messages) {
    if (format !== 'ndjsonld') yield `${writeQuads(quads, format, prefixes)}MESSAGE\n`;
    else yield quads.length === 0 ? '{}\n' : `${writeQuads(quads, 'jsonld', prefixes)}\n`;
  }
}
