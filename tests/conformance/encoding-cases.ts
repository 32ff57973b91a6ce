import type { ConformanceCase } from './conformance-case.ts';

// What an `Accept-Encoding` field gets.
const CODED: readonly (readonly [id: string, says: string, accepts: string, encoding: string | RegExp | null])[] = [
  ['ENC-2', 'gzip is sent to who takes it', 'gzip', 'gzip'],
  ['ENC-3', 'br is sent to who takes it', 'br', 'br'],
  ['ENC-4', 'an empty field takes no coding', '', null],
  ['ENC-5', 'identity is no coding', 'identity', null],
  ['ENC-6', 'an unknown coding is none', 'zstd, compress', null],
  ['ENC-7', 'the greater weight wins', 'br;q=0.5, gzip;q=1', 'gzip'],
  ['ENC-8', 'the greater weight wins, the other way round', 'gzip;q=0.5, br;q=0.8', 'br'],
  ['ENC-9', 'a weight of 0 refuses', 'gzip;q=0', null],
  ['ENC-10', 'a refused coding leaves the other', 'br;q=0, gzip', 'gzip'],
  ['ENC-11', 'any coding is one of the two, or none', '*', /^(?:|gzip|br)$/],
  ['ENC-12', 'a wildcard does not bring back what is refused', 'gzip;q=0, *;q=0.5', /^(?:|br)$/],
  ['ENC-13', 'codings are compared without case', 'GZIP', 'gzip'],
  ['ENC-14', 'who refuses identity gets a coding', 'identity;q=0, gzip;q=0.2', 'gzip'],
  ['ENC-15', 'who takes identity before gzip gets none', 'identity, gzip;q=0.5', null],
  ['ENC-16', 'what browsers send gets a coding', 'gzip, deflate, br, zstd', /^(?:gzip|br)$/],
];

/** How the bytes are coded. */
export const encodingCases: readonly ConformanceCase[] = [
  {
    id: 'ENC-1',
    cites: 'DOC-7',
    says: 'without Accept-Encoding there is no coding',
    url: '{sealed}',
    expected: { status: 200, headers: { 'content-encoding': null, vary: /\bAccept-Encoding\b/, etag: '"{end}"' } },
  },
  ...CODED.map(
    ([id, says, accepts, encoding]): ConformanceCase => ({
      id,
      cites: 'DOC-7',
      says,
      url: '{sealed}',
      headers: { 'accept-encoding': accepts },
      expected: {
        status: 200,
        headers: { 'content-encoding': encoding, vary: /\bAccept-Encoding\b/ },
        content: 'identity',
      },
    }),
  ),
  ...[
    ['ENC-20', 'text/turtle', 'gzip', '"{end}.ttl.gz"'],
    ['ENC-21', 'application/n-quads', 'br', '"{end}.nq.br"'],
    ['ENC-22', 'application/ld+json', 'br', '"{end}.br"'],
  ].map(
    ([id = '', accept = '', encoding = '', etag = '']): ConformanceCase => ({
      id,
      cites: 'DOC-11',
      says: `${accept} as ${encoding} has an entity tag of its own`,
      url: '{sealed}',
      headers: { accept, 'accept-encoding': encoding },
      expected: {
        status: 200,
        headers: { 'content-encoding': encoding, etag },
        content: 'identity',
      },
    }),
  ),
  ...['{root}', '{latest}', '{open}', '{range}', '{entity}'].map(
    (url, index): ConformanceCase => ({
      id: `ENC-${30 + index}`,
      cites: 'DOC-7 DOC-11',
      says: `${url} is coded, and decodes to the same bytes`,
      url,
      headers: { 'accept-encoding': 'gzip' },
      expected: {
        status: 200,
        headers: { 'content-encoding': 'gzip', etag: /\.gz"$/, vary: /\bAccept-Encoding\b/ },
        content: 'identity',
      },
    }),
  ),
  {
    id: 'ENC-40',
    cites: 'DOC-18',
    says: 'HEAD tells the length of the coded content',
    url: '{sealed}',
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip' },
    expected: { status: 200, asPlain: ['content-length', 'content-encoding', 'etag'], content: 'none' },
  },
  {
    id: 'ENC-41',
    cites: 'DOC-11',
    says: 'a 304 is of the coding that is asked for',
    url: '{sealed}',
    headers: { 'accept-encoding': 'gzip', 'if-none-match': '{etag}' },
    expected: { status: 304, asPlain: ['etag', 'vary', 'cache-control'], content: 'none' },
  },
  {
    id: 'ENC-42',
    cites: 'DOC-11',
    says: 'the entity tag of another coding does not match',
    url: '{sealed}',
    headers: { 'accept-encoding': 'gzip', 'if-none-match': '"{end}"' },
    expected: { status: 200, headers: { 'content-encoding': 'gzip' } },
  },
  {
    id: 'ENC-43',
    cites: 'ERR-1',
    says: 'an error is sent as it is',
    url: '{root}/nonsense',
    headers: { 'accept-encoding': 'gzip, br' },
    expected: { status: 404, headers: { 'content-encoding': null }, problem: 'ERR_DOCUMENT_UNKNOWN' },
  },
];
