import { ask, type ConformanceCase, DOCUMENTS, type Expected } from './conformance-case.ts';

const JSON_LD = 'application/ld+json';
const MEDIA_TYPES = [JSON_LD, 'text/turtle', 'application/trig', 'application/n-quads', 'application/n-triples'];
const SUFFIXES = ['', '.ttl', '.trig', '.nq', '.nt'];
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const PUBLIC_CLIENT =
  'application/n-quads,application/trig;q=0.95,application/ld+json;q=0.9,application/n-triples;q=0.8,text/turtle;q=0.6';
const BY_ACCEPT = { vary: /\bAccept\b(?!-)/ };
const BY_CODING = { vary: /\bAccept-Encoding\b/ };

// On pages the formats that keep an order say that they are in the order of the TREE profile.
const onPages = (type: string) => (type === JSON_LD ? type : `${type};profile="https://w3id.org/tree/profile"`);

// What an `Accept` field gets: a media type, or none.
const ACCEPTED: readonly (readonly [name: string, accept: string, type?: string])[] = [
  ['NEG-10 anything is JSON-LD', '*/*', JSON_LD],
  ['NEG-11 an empty field is no preference', '', JSON_LD],
  ['NEG-12 the greatest weight wins', 'text/turtle;q=0.5, application/trig;q=0.8', 'application/trig'],
  ['NEG-13 no weight is a weight of 1', 'text/turtle;q=0.9, application/n-quads', 'application/n-quads'],
  ['NEG-14 a weight of 0 refuses', 'application/ld+json;q=0, */*;q=0.1', 'text/turtle'],
  ['NEG-15 a name goes before a wildcard of its type', 'application/*;q=0.2, application/trig', 'application/trig'],
  ['NEG-16 a wildcard subtype takes what there is of the type', 'text/*', 'text/turtle'],
  ['NEG-17 a named type keeps its own weight beside */*', 'application/ld+json;q=0.1, */*;q=0.5', 'text/turtle'],
  ['NEG-18 media types are compared without case', 'TEXT/Turtle', 'text/turtle'],
  ['NEG-19 white space is no matter', 'text/turtle ; q=0.3 , application/n-triples;q=0.2', 'text/turtle'],
  ['NEG-20 a parameter is no matter', `${JSON_LD};profile="http://www.w3.org/ns/json-ld#compacted"`, JSON_LD],
  ['NEG-21 a quoted parameter is one', 'text/turtle;v="a;b,c\\"d";q=0.9, */*;q=0.1', 'text/turtle'],
  ['NEG-22 unknown types do nothing', 'application/xml, image/*, application/trig;q=0.1', 'application/trig'],
  ['NEG-23 three decimals count', 'text/turtle;q=0.123, application/trig;q=0.124', 'application/trig'],
  ['NEG-24 what browsers send is answered', BROWSER, JSON_LD],
  ['DOC-7 NEG-26 any JSON is JSON-LD, and says so', 'application/json', JSON_LD],
  ['DOC-7 NEG-27 JSON has its weight', 'application/json;q=0.5, text/turtle;q=0.4', JSON_LD],
  ['NEG-25 what the public LDES client sends gets N-Quads', PUBLIC_CLIENT, 'application/n-quads'],
  ['NEG-30 a type that is not on offer is refused', 'text/html'],
  ['NEG-31 everything with weight 0 is refused', '*/*;q=0'],
  ['NEG-32 one type with weight 0 and no other is refused', 'text/turtle;q=0'],
  ['NEG-33 a wildcard of a type that is not there is refused', 'image/*'],
];

/** Which format is sent. */
const negotiationCases: readonly ConformanceCase[] = [
  ask('DOC-7 NEG-1 without Accept a document is JSON-LD', '{latest}', 200, {
    headers: { 'content-type': JSON_LD, ...BY_ACCEPT },
    content: 'triples',
  }),
  ...MEDIA_TYPES.map((type, index) =>
    ask(
      `DOC-7 DOC-11 DOC-33 NEG-${index + 2} a page as ${type}, with its entity tag`,
      `{sealed}\naccept: ${type}`,
      200,
      {
        headers: { 'content-type': onPages(type), etag: `"{end}${SUFFIXES[index]}"`, ...BY_ACCEPT },
        content: 'triples',
      },
    ),
  ),
  ...ACCEPTED.map(([name, accept, type]) =>
    type
      ? ask(`DOC-7 ${name}`, `{root}\naccept: ${accept}`, 200, { headers: { 'content-type': type, ...BY_ACCEPT } })
      : ask(`DOC-7 ${name}`, `{root}\naccept: ${accept}`, 406, {
          problem: 'ERR_FORMAT_UNACCEPTABLE',
          content: /application\/n-quads/,
        }),
  ),
  ...['{base}', '{range}', '{open}', '{entity}'].map((url, index) =>
    ask(`DOC-7 NEG-${40 + index} ${url} is negotiated too`, `${url}\naccept: text/turtle`, 200, {
      headers: { 'content-type': /^text\/turtle(?:;|$)/, ...BY_ACCEPT },
      content: 'triples',
    }),
  ),
  ask('WEB-8 NEG-44 who prefers HTML gets RDF where there are no pages', `{base}\naccept: text/html,*/*;q=0.1`, 200, {
    headers: { 'content-type': 'application/ld+json', ...BY_ACCEPT },
  }),
];

// What an `Accept-Encoding` field gets.
const CODED: readonly (readonly [name: string, accepts: string, encoding: string | RegExp | null])[] = [
  ['ENC-2 gzip is sent to who takes it', 'gzip', 'gzip'],
  ['ENC-3 br is sent to who takes it', 'br', 'br'],
  ['ENC-4 an empty field takes no coding', '', null],
  ['ENC-5 identity is no coding', 'identity', null],
  ['ENC-6 an unknown coding is none', 'zstd, compress', null],
  ['ENC-7 the greater weight wins', 'br;q=0.5, gzip;q=1', 'gzip'],
  ['ENC-8 the greater weight wins, the other way round', 'gzip;q=0.5, br;q=0.8', 'br'],
  ['ENC-9 a weight of 0 refuses', 'gzip;q=0', null],
  ['ENC-10 a refused coding leaves the other', 'br;q=0, gzip', 'gzip'],
  ['ENC-11 any coding is one of the two, or none', '*', /^(?:|gzip|br)$/],
  ['ENC-12 a wildcard does not bring back what is refused', 'gzip;q=0, *;q=0.5', /^(?:|br)$/],
  ['ENC-13 codings are compared without case', 'GZIP', 'gzip'],
  ['ENC-14 who refuses identity gets a coding', 'identity;q=0, gzip;q=0.2', 'gzip'],
  ['ENC-15 who takes identity before gzip gets none', 'identity, gzip;q=0.5', null],
  ['ENC-16 what browsers send gets a coding', 'gzip, deflate, br, zstd', /^(?:gzip|br)$/],
];

/** How the bytes are coded. */
const encodingCases: readonly ConformanceCase[] = [
  ask('DOC-7 ENC-1 without Accept-Encoding there is no coding', '{sealed}', 200, {
    headers: { 'content-encoding': null, etag: '"{end}"', ...BY_CODING },
  }),
  ...CODED.map(([name, accepts, encoding]) =>
    ask(`DOC-7 ${name}`, `{sealed}\naccept-encoding: ${accepts}`, 200, {
      headers: { 'content-encoding': encoding, ...BY_CODING },
      content: 'identity',
    }),
  ),
  ...(
    [
      ['ENC-20', 'text/turtle', 'gzip', '"{end}.ttl.gz"'],
      ['ENC-21', 'application/n-quads', 'br', '"{end}.nq.br"'],
      ['ENC-22', JSON_LD, 'br', '"{end}.br"'],
    ] as const
  ).map(([id, type, coding, etag]) =>
    ask(
      `DOC-11 ${id} ${type} as ${coding} has an entity tag of its own`,
      `{sealed}\naccept: ${type}\naccept-encoding: ${coding}`,
      200,
      { headers: { 'content-encoding': coding, etag }, content: 'identity' },
    ),
  ),
  ...DOCUMENTS.map((url, index) =>
    ask(`DOC-7 DOC-11 ENC-${30 + index} ${url} decodes to the same bytes`, `${url}\naccept-encoding: gzip`, 200, {
      headers: { 'content-encoding': 'gzip', etag: /\.gz"$/, ...BY_CODING },
      content: 'identity',
    }),
  ),
  ask('DOC-18 ENC-40 HEAD tells the length of the coded content', 'HEAD {sealed}\naccept-encoding: gzip', 200, {
    asPlain: 'content-length content-encoding etag',
    content: 'none',
  }),
  ask('DOC-11 ENC-41 a 304 has its coding', '{sealed}\naccept-encoding: gzip\nif-none-match: {etag}', 304, {
    asPlain: 'etag vary cache-control',
    content: 'none',
  }),
  ask('DOC-11 ENC-42 the tag of another coding', '{sealed}\naccept-encoding: gzip\nif-none-match: "{end}"', 200, {
    headers: { 'content-encoding': 'gzip' },
  }),
  ask('ERR-1 ENC-43 an error is sent as it is', '{root}/nonsense\naccept-encoding: gzip, br', 404, {
    headers: { 'content-encoding': null },
    problem: 'ERR_DOCUMENT_UNKNOWN',
  }),
];

// What a document has to be sent again for, and what not.
const UNMODIFIED: readonly (readonly [name: string, fields: string])[] = [
  ['CON-1 the entity tag itself', 'if-none-match: {etag}'],
  ['CON-2 the entity tag as a weak one', 'if-none-match: W/{etag}'],
  ['CON-3 the entity tag in a list', 'if-none-match: "other", {etag}, "third"'],
  ['CON-4 the entity tag in a list of weak ones without spaces', 'if-none-match: W/"other",W/{etag}'],
  ['CON-5 the entity tag after one with a comma in it', 'if-none-match: "a, b", {etag}'],
  ['CON-6 the entity tag after empty elements of the list', 'if-none-match: , ,{etag}'],
  ['CON-7 any entity tag', 'if-none-match: *'],
  ['CON-20 the date of the document', 'if-modified-since: {lastModified}'],
  ['CON-21 the date in the form of RFC 850', 'if-modified-since: {obsolete}'],
  ['CON-22 the date in the form of asctime()', 'if-modified-since: {asctime}'],
  ['CON-23 a second later', 'if-modified-since: {secondAfter}'],
  ['CON-30 a tag, whatever the date', 'if-none-match: {etag}\nif-modified-since: Thu, 01 Jan 1970 00:00:00 GMT'],
];
const MODIFIED: typeof UNMODIFIED = [
  ['CON-8 another entity tag', 'if-none-match: "other"'],
  ['CON-9 the entity tag without its quotes', 'if-none-match: {opaque}'],
  ['CON-10 the beginning of the entity tag', 'if-none-match: "{epoch}"'],
  ['CON-11 the entity tag of another format', 'if-none-match: "{opaque}.zz"'],
  ['CON-12 an empty field', 'if-none-match:'],
  ['CON-24 a second earlier', 'if-modified-since: {secondBefore}'],
  ['CON-25 what is no date', 'if-modified-since: yesterday'],
  ['CON-26 a number, which is no date of HTTP', 'if-modified-since: 2099'],
  ['CON-27 a date of ISO 8601, which is none of HTTP', 'if-modified-since: 2099-01-01T00:00:00Z'],
  ['CON-28 a date in another time zone', 'if-modified-since: Fri, 01 Jan 2099 00:00:00 +0100'],
  ['CON-31 another tag, whatever the date', 'if-none-match: "other"\nif-modified-since: {lastModified}'],
];

// Of a 304: what a cache puts in the place of what it has (RFC 9110, section 15.4.5), and nothing that the tag implies.
const NOT_MODIFIED: Expected = {
  asPlain: 'etag vary cache-control',
  headers: { 'content-type': null, link: null, 'last-modified': null, 'access-control-allow-origin': null },
  content: 'none',
};

/** Whether a document that the client has already is sent again. */
const conditionCases: readonly ConformanceCase[] = [
  ...UNMODIFIED.map(([name, fields]) =>
    ask(`DOC-11 ${name}: not modified`, `{sealed}\naccept: text/turtle\n${fields}`, 304, NOT_MODIFIED),
  ),
  ...MODIFIED.map(([name, fields]) =>
    ask(`DOC-11 ${name}: sent again`, `{sealed}\naccept: text/turtle\n${fields}`, 200, {
      headers: { 'content-type': /^text\/turtle/ },
    }),
  ),
  ...DOCUMENTS.map((url, index) =>
    ask(`DOC-11 DOC-8 CON-${40 + index} ${url} is not sent again`, `${url}\nif-none-match: {etag}`, 304, {
      asPlain: 'etag vary ldes-cursor',
      headers: { link: null, 'last-modified': null },
      scheduled: true,
      content: 'none',
    }),
  ),
  ask('DOC-18 DOC-11 CON-50 HEAD is conditional too', 'HEAD {sealed}\nif-none-match: {etag}', 304, {
    asPlain: 'etag cache-control',
    content: 'none',
  }),
  ask('DOC-11 CON-51 an error is not turned into a 304', '{root}/nonsense\nif-none-match: *', 404, {
    problem: 'ERR_DOCUMENT_UNKNOWN',
  }),
  ask('DOC-11 CON-52 formats go before conditions', '{latest}\naccept: image/png\nif-none-match: *', 406, {
    problem: 'ERR_FORMAT_UNACCEPTABLE',
  }),
];

/** Which format and coding is sent, and when nothing is. */
export const formatCases = [...negotiationCases, ...encodingCases, ...conditionCases];
