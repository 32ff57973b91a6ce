// The rules of HTTP: immutability, caching, entity tags, formats and encodings, errors, browsers, sizes, and push.

import { EVENT_STREAM_MEDIA_TYPE, formats } from '@ldes-live/rdf-stream';
import {
  type CacheControl,
  type CheckedDocument,
  type CheckedNode,
  type Evidence,
  isViewByTime,
  mutableNodes,
  type Probe,
  readableNodes,
  readCacheControl,
  textOf,
} from './evidence.ts';
import type { Exchange } from './http.ts';
import { mutable, on, onProbes, onRoot, type Rules, readable } from './rule.ts';

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"$/;
/** What a 304 repeats of the fields that its 200 has. */
const REPEATED = ['cache-control', 'expires', 'etag', 'vary', 'date'];
/** Fields that a document has or has not, whatever its state. */
const STEADY = ['content-type', 'cache-control', 'etag', 'last-modified', 'link', 'vary', 'expires'];
const WHOLE = ['subject', 'predicate', 'object', 'graph'] as const;
const ALLOWED = 'access-control-allow-origin';
/** Fields that a reader in a browser needs and does not see unless they are exposed. */
const EXPOSED = ['etag', 'link', 'next-update', 'ldes-cursor', 'retry-after'];

const named = (name: string, value: string | undefined) => `${name}: ${value ?? 'none'}`;
const cacheControl = ({ field }: CacheControl) =>
  field === undefined ? 'no Cache-Control' : `Cache-Control: ${field}`;

// Nodes that say, or are sent with the word, that they never change.
const immutable = on((evidence) => readableNodes(evidence).filter(({ isMutable }) => !isMutable));
const onErrors = on((evidence) => [...unknown(evidence), ...evidence.refusals].filter(({ status }) => status >= 400));
const onPush = on(({ push }) => push);
const onPushed = on(({ push }) => push.filter(isPushed));
const again = onProbes('again');
const conditional = onProbes('conditional');
const onCrossOrigin = onProbes('cross-origin');

/** The rules of HTTP. */
export const httpRules: Rules = {
  'CHK-33 warning: A mutable page has no ldes:immutable, not even false (LDES Server Primer, immutable pages)':
    readable(({ saysMutable }) => saysMutable && 'ldes:immutable false'),
  'CHK-34 warning: A page with ldes:immutable true has Cache-Control: immutable (LDES Server Primer, immutable pages; RFC 8246)':
    immutable(({ caching }) => !caching.has('immutable') && cacheControl(caching)),
  'CHK-35 warning: A page with Cache-Control: immutable has ldes:immutable true (LDES Server Primer, immutable pages)':
    immutable(({ isImmutable }) => !isImmutable && 'Cache-Control: immutable, and no triple'),
  'CHK-36 warning: An immutable page has an ETag (LDES Server Primer, caching)': immutable(
    ({ fields }) => fields.etag === undefined && 'no ETag',
  ),
  'CHK-37 warning: An immutable page may be cached for at least a day (RFC 8246 section 2; ldes-live, documents DOC-5)':
    immutable(({ caching }) => {
      const seconds = caching.secondsOf('max-age');
      // Where the header is missing or malformed, that is the rule that is broken.
      if (!caching.has('immutable') || (seconds === undefined && caching.has('max-age'))) return undefined;
      return (seconds ?? 0) < 86_400 && (seconds === undefined ? 'no max-age' : `max-age=${seconds}`);
    }),
  'CHK-38 error: An immutable page does not change (LDES, immutable pages; RFC 8246)': again(({ about, answer }) => {
    // Another page may take the place of one that is not there any more.
    const isCompared = !about.isMutable && answer.problem === undefined && answer.url === about.url;
    const hasChanged = isCompared && textOf(about.quads, ...WHOLE) !== textOf(answer.quads, ...WHOLE);
    return hasChanged && 'other content when it was read again';
  }),

  'CHK-40 warning: A mutable document states how long it may be cached (RFC 9111 section 4.2)': mutable(
    ({ caching, fields }) => {
      const isStated = caching.has('max-age', 's-maxage', 'no-cache', 'no-store') || 'expires' in fields;
      return !isStated && 'neither max-age nor Expires';
    },
  ),
  'CHK-41 warning: A mutable document is not cached for long (LDES Server Primer, caching; ldes-live, documents DOC-9)':
    mutable(({ maxAgeSeconds: maxAge = 0, nextUpdateMs }, { stream }) => {
      const longest = Math.max(3600, 10 * (stream?.pollingIntervalSeconds ?? 0));
      return maxAge > longest && nextUpdateMs === undefined && `max-age=${maxAge}`;
    }),
  'CHK-42 warning: Expires is not in the past while a document may be cached (RFC 9111 section 5.3; ldes-live, documents DOC-9)':
    mutable(({ fields, caching, expiresMs, answeredMs }) => {
      const isKept = !caching.has('no-cache', 'no-store') && caching.secondsOf('max-age') !== 0;
      const isPast = expiresMs !== undefined && expiresMs < answeredMs;
      return isKept && isPast && `Expires: ${fields.expires}, ${named('Date', fields.date)}`;
    }),
  'CHK-45 error: Each Cache-Control directive occurs once, with whole seconds that caches can hold (RFC 9111 sections 1.2.2 and 4.2.1)':
    readable(({ caching }) => {
      const isWrong = (name: string) => caching.has(name) && !((caching.secondsOf(name) ?? Number.NaN) <= 2 ** 31);
      return (caching.repeated.length > 0 || isWrong('max-age') || isWrong('s-maxage')) && cacheControl(caching);
    }),
  'CHK-46 warning: Cache-Control has no stale-while-revalidate, which hides new updates (RFC 5861 section 3; ldes-live, documents)':
    mutable(({ caching }) => {
      const seconds = caching.secondsOf('stale-while-revalidate') ?? 0;
      return seconds > 0 && `stale-while-revalidate=${seconds}`;
    }),
  'CHK-49 advice: Shared caches may store the documents (RFC 9111 section 5.2.2)': readable(
    ({ caching }) => caching.has('no-store', 'private') && cacheControl(caching),
  ),
  'CHK-50 error: Responses have a Date, by which caches and readers compute ages (RFC 9110 section 6.6.1)': readable(
    ({ dateMs, fields }) => dateMs === undefined && named('Date', fields.date),
  ),

  'CHK-51 warning: A mutable document has an ETag (LDES Server Primer, caching)': mutable(
    ({ fields }) => fields.etag === undefined && 'no ETag',
  ),
  'CHK-52 error: An ETag is a text in quotes (RFC 9110 section 8.8.3)': readable(({ fields: { etag } }) => {
    return etag !== undefined && !ENTITY_TAG.test(etag) && `ETag: ${etag}`;
  }),
  'CHK-53 warning: An ETag is strong (ldes-live, documents DOC-11)': readable(
    ({ fields: { etag } }) => etag?.startsWith('W/') && `ETag: ${etag}`,
  ),
  'CHK-54 warning: The answer to If-None-Match with the current ETag is 304 (RFC 9110 section 13.1.2; LDES, synchronization run)':
    conditional(({ answer: { sent, status, fields } }) => {
      const tag = sent['if-none-match'];
      const isSame = status === 200 && fields.etag === tag;
      return isSame && `If-None-Match: ${tag} got 200 with the same ETag`;
    }),
  'CHK-55 error: A 304 repeats the caching header fields (RFC 9110 section 15.4.5)': conditional(
    ({ about, answer: { status, fields } }) => {
      const missing = REPEATED.filter((name) => name in about.fields && !(name in fields));
      return status === 304 && missing.length > 0 && `304 without ${missing.join(', ')}`;
    },
  ),
  'CHK-56 error: A strong ETag belongs to one format and one encoding (RFC 9110 section 8.8.3.1)': onProbes()(
    ({ about, answer }) => {
      const etag = sharedTag(about, answer);
      if (etag === undefined) return undefined;
      if (answer.format !== about.format) return `ETag: ${etag} of ${about.format} and of ${answer.format}`;
      const [own, other] = [encodingOf(about), encodingOf(answer)];
      return own !== other && `ETag: ${etag} of ${own} and of ${other}`;
    },
  ),
  'CHK-57 error: When the content changes, the ETag changes (RFC 9110 section 8.8.1)': again(({ about, answer }) => {
    const isCompared = about.isMutable && about.format === answer.format;
    const etag = isCompared ? sharedTag(about, answer) : undefined;
    return etag !== undefined && about.text !== answer.text && `ETag: ${etag} of two contents`;
  }),

  'CHK-58 error: A response that depends on Accept has it in Vary, or caches send the wrong format (LDES Server Primer, serialization; RFC 9110 section 12.5.5)':
    readable(unstated('accept', 'format', ({ format }) => format ?? 'none')),
  'CHK-59 error: A response that depends on Accept-Encoding has it in Vary, or caches send the wrong encoding (RFC 9110 section 12.5.5)':
    readable(unstated('accept-encoding', 'encoding', encodingOf)),
  'CHK-60 warning: The server sends the format that the reader prefers (RFC 9110 section 12.5.1)': onProbes('weights')(
    ({ about, answer: { sent, format, problem } }) => {
      const isIgnored = problem === undefined && format !== undefined && format === about.format;
      return isIgnored && `Accept: ${sent.accept}; the answer was ${formats[format].mediaType}`;
    },
  ),
  'CHK-61 advice: A document is available in more than one format (LDES Server Primer, serialization)': onRoot(
    ({ root }, { probes }) => {
      const { format } = root;
      const asked = probes.filter(({ kind, about }) => kind === 'format' && about === root);
      const isAlone = asked.every(({ answer }) => answer.format === undefined || answer.format === format);
      return format !== undefined && asked.length > 0 && isAlone && `${formats[format].mediaType} only`;
    },
  ),
  'CHK-62 error: The answer to HEAD is that of GET, without the content (RFC 9110 section 9.3.2)': onProbes('head')(
    ({ about: get, answer: head }, { probes }) => {
      const byBoth = (name: string) => `${get.fields[name]} by GET, ${head.fields[name]} by HEAD`;
      if (head.status !== get.status) return `GET ${get.status}, HEAD ${head.status}`;
      const lacking = STEADY.filter((name) => name in get.fields !== name in head.fields);
      if (lacking.length > 0) return `GET and HEAD differ in ${lacking.join(', ')}`;
      if (get.fields['content-type'] !== head.fields['content-type']) return `Content-Type: ${byBoth('content-type')}`;
      // Where it did not change between two GETs, it did not change at the HEAD between them.
      const later = probes.find((probe) => probe.kind === 'again' && probe.about === get)?.answer;
      const isSteady = later?.fields.etag === get.fields.etag;
      return isSteady && head.fields.etag !== get.fields.etag && `ETag: ${byBoth('etag')}`;
    },
  ),
  'CHK-63 advice: Documents are compressed for readers that accept it (RFC 9110 section 8.4)': readable(
    ({ fields, bytes }) => {
      const isPlain = fields['content-encoding'] === undefined && bytes > 2048;
      return isPlain && `${bytes} bytes, no Content-Encoding`;
    },
  ),

  'CHK-64 advice: Errors are not cached (ldes-live, errors ERR-1)': onErrors(({ status, fields }) => {
    const caching = readCacheControl(fields['cache-control']);
    const isKept = !caching.has('no-store', 'no-cache') && caching.secondsOf('max-age') !== 0;
    return isKept && `${status} with ${cacheControl(caching)}`;
  }),
  'CHK-65 advice: Errors are explained in application/problem+json (RFC 9457)': onErrors(
    ({ status, fields: { 'content-type': type = 'none' } }) =>
      !/^application\/problem\+/i.test(type) && `${status} with Content-Type: ${type}`,
  ),
  'CHK-66 warning: The answer for a missing document is 404 or 410 (RFC 9110 section 15.5.5; LDES, errors)': on(
    unknown,
  )(({ status }) => ![0, 404, 410, 429, 503].includes(status) && `status ${status}`),
  'CHK-67 warning: An overloaded server sends Retry-After (RFC 6585 section 4; RFC 9110 section 10.2.3)': on(
    ({ refusals }) => refusals,
  )(({ status, fields }) => fields['retry-after'] === undefined && `status ${status} without Retry-After`),
  'CHK-68 advice: Scripts of other sites may read the documents (CORS) (Fetch, CORS protocol)': onCrossOrigin(
    ({ answer }) =>
      answer.status === 200 && !isShared(answer) && named('Access-Control-Allow-Origin', answer.fields[ALLOWED]),
  ),
  'CHK-69 advice: Scripts of other sites may read the important header fields (CORS) (Fetch, CORS protocol; ldes-live, documents)':
    onCrossOrigin(({ answer }) => {
      const exposed = listOf(answer.fields['access-control-expose-headers']);
      if (answer.status !== 200 || !isShared(answer) || exposed.includes('*')) return undefined;
      const hidden = EXPOSED.filter((name) => name in answer.fields && !exposed.includes(name));
      return hidden.length > 0 && `hidden: ${hidden.join(', ')}`;
    }),

  'CHK-70 advice: A page has at most 1000 members; 100 to 500 are read fastest (ldes-live, documents DOC-5)': readable(
    ({ members: { length } }) => length > 1000 && `${length} members`,
  ),
  'CHK-71 advice: A full page has at least 20 members (ldes-live, documents DOC-5)': immutable(
    ({ members: { length } }) => length > 0 && length < 20 && `${length} members`,
  ),
  'CHK-72 advice: The root is small (256 KiB), since every reader polls it (ldes-live, documents DOC-5)': onRoot(
    ({ root: { text, relations } }) => {
      const bytes = Buffer.byteLength(text);
      return bytes > 256 * 1024 && `${bytes} bytes, ${relations.length} relations`;
    },
  ),
  'CHK-73 advice: In a view by time at most 3 documents change, because readers poll all of them (ldes-live, documents DOC-5)':
    onRoot((_, evidence) => {
      const { length } = mutableNodes(evidence);
      const isMany = length > 3 && isViewByTime(evidence);
      return isMany && `${length} of the ${evidence.nodes.length} pages read may change`;
    }),

  'CHK-79 error: A stated push endpoint answers with text/event-stream (HTML, server-sent events; ldes-live, push)':
    onPush((exchange) => {
      const { status, fields, failure, statedBy } = exchange;
      const answer = `status ${status}, ${named('Content-Type', fields['content-type'])}`;
      return !isPushed(exchange) && `${status === 0 ? `no response (${failure})` : answer}; stated by ${statedBy}`;
    }),
  'CHK-80 warning: Events are not cached (ldes-live, push)': onPushed(({ fields }) => {
    const caching = readCacheControl(fields['cache-control']);
    return !caching.has('no-store', 'no-cache') && named('Cache-Control', caching.field);
  }),
  'CHK-81 warning: A push endpoint sends something at once, to show that no proxy buffers it (ldes-live, push)':
    onPushed(({ bytes, failure }) => bytes === 0 && `no byte of an event (${failure ?? 'it ended'})`),
};

// The strong entity tag that two answers have, if they have one.
function sharedTag({ fields: { etag } }: CheckedDocument, { fields, problem }: CheckedDocument): string | undefined {
  return problem === undefined && etag === fields.etag && etag?.startsWith('"') ? etag : undefined;
}

function encodingOf({ fields }: CheckedDocument): string {
  return fields['content-encoding'] ?? 'identity';
}

// Whether there are several variants, and Vary does not say by what.
function unstated(field: string, kind: Probe['kind'], variantOf: (document: CheckedDocument) => string) {
  return (node: CheckedNode, { probes }: Evidence) => {
    const asked = probes.filter((probe) => probe.about === node && probe.kind === kind && !probe.answer.problem);
    const all = [node, ...asked.map(({ answer }) => answer)];
    const variants = new Set(all.map(variantOf));
    const silent = all.find(({ fields }) => !listOf(fields.vary).some((name) => name === field || name === '*'));
    return variants.size > 1 && silent && `${[...variants].join(', ')}, ${named('Vary', silent.fields.vary)}`;
  };
}

function listOf(field = ''): string[] {
  return field
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
}

function unknown({ probes }: Evidence): Exchange[] {
  return probes.filter(({ kind }) => kind === 'unknown').map(({ answer }) => answer);
}

function isShared({ fields, sent }: Exchange): boolean {
  return fields[ALLOWED] === '*' || fields[ALLOWED] === sent.origin;
}

function isPushed({ status, fields }: Exchange): boolean {
  return status === 200 && (fields['content-type'] ?? '').toLowerCase().startsWith(EVENT_STREAM_MEDIA_TYPE);
}
