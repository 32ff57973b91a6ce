import type { ConformanceCase } from './conformance-case.ts';

// Whether a document that the conditions are tried on has to be sent again.
const CONDITIONS: readonly (readonly [id: string, says: string, headers: Record<string, string>, isSent: boolean])[] = [
  ['CON-1', 'the entity tag itself', { 'if-none-match': '{etag}' }, false],
  ['CON-2', 'the entity tag as a weak one', { 'if-none-match': 'W/{etag}' }, false],
  ['CON-3', 'the entity tag in a list', { 'if-none-match': '"other", {etag}, "third"' }, false],
  ['CON-4', 'the entity tag in a list of weak ones without spaces', { 'if-none-match': 'W/"other",W/{etag}' }, false],
  ['CON-5', 'the entity tag after one with a comma in it', { 'if-none-match': '"a, b", {etag}' }, false],
  ['CON-6', 'the entity tag after empty elements of the list', { 'if-none-match': ', ,{etag}' }, false],
  ['CON-7', 'any entity tag', { 'if-none-match': '*' }, false],
  ['CON-8', 'another entity tag', { 'if-none-match': '"other"' }, true],
  ['CON-9', 'the entity tag without its quotes', { 'if-none-match': '{opaque}' }, true],
  ['CON-10', 'the beginning of the entity tag', { 'if-none-match': '"{epoch}"' }, true],
  ['CON-11', 'the entity tag of another format', { 'if-none-match': '"{opaque}.zz"' }, true],
  ['CON-12', 'an empty field', { 'if-none-match': '' }, true],
  ['CON-20', 'the date of the document', { 'if-modified-since': '{lastModified}' }, false],
  ['CON-21', 'the date in the form of RFC 850', { 'if-modified-since': '{obsolete}' }, false],
  ['CON-22', 'the date in the form of asctime()', { 'if-modified-since': '{asctime}' }, false],
  ['CON-23', 'a second later', { 'if-modified-since': '{secondAfter}' }, false],
  ['CON-24', 'a second earlier', { 'if-modified-since': '{secondBefore}' }, true],
  ['CON-25', 'what is no date', { 'if-modified-since': 'yesterday' }, true],
  ['CON-26', 'a number, which is no date of HTTP', { 'if-modified-since': '2099' }, true],
  ['CON-27', 'a date of ISO 8601, which is none of HTTP', { 'if-modified-since': '2099-01-01T00:00:00Z' }, true],
  [
    'CON-28',
    'a date in another time zone, which is none of HTTP',
    { 'if-modified-since': 'Fri, 01 Jan 2099 00:00:00 +0100' },
    true,
  ],
  [
    'CON-30',
    'an entity tag that matches, whatever the date',
    { 'if-none-match': '{etag}', 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    false,
  ],
  [
    'CON-31',
    'an entity tag that does not match, whatever the date',
    { 'if-none-match': '"other"', 'if-modified-since': '{lastModified}' },
    true,
  ],
];

// Of a 304: what a cache puts in the place of what it has (RFC 9110, section 15.4.5).
const REPEATED = ['etag', 'last-modified', 'vary', 'link', 'cache-control', 'access-control-expose-headers'];

/** Whether a document that the client has already is sent again. */
export const conditionCases: readonly ConformanceCase[] = [
  ...CONDITIONS.map(
    ([id, says, headers, isSent]): ConformanceCase => ({
      id,
      cites: 'DOC-11',
      says: `${says}: ${isSent ? 'sent again' : 'not modified'}`,
      url: '{sealed}',
      headers: { accept: 'text/turtle', ...headers },
      expected: isSent
        ? { status: 200, headers: { 'content-type': /^text\/turtle/ } }
        : { status: 304, asPlain: REPEATED, headers: { 'content-type': /^(?:|text\/turtle.*)$/ }, content: 'none' },
    }),
  ),
  ...['{root}', '{latest}', '{open}', '{range}', '{entity}'].map(
    (url, index): ConformanceCase => ({
      id: `CON-${40 + index}`,
      cites: 'DOC-11 DOC-8',
      says: `${url} is not sent again to who has it, and is scheduled anew`,
      url,
      headers: { 'if-none-match': '{etag}' },
      expected: { status: 304, asPlain: ['etag', 'last-modified', 'vary', 'link'], scheduled: true, content: 'none' },
    }),
  ),
  {
    id: 'CON-50',
    cites: 'DOC-18 DOC-11',
    says: 'HEAD is conditional too',
    url: '{sealed}',
    method: 'HEAD',
    headers: { 'if-none-match': '{etag}' },
    expected: { status: 304, asPlain: ['etag', 'cache-control'], content: 'none' },
  },
  {
    id: 'CON-51',
    cites: 'DOC-11',
    says: 'an error is not turned into a 304',
    url: '{root}/nonsense',
    headers: { 'if-none-match': '*' },
    expected: { status: 404, problem: 'ERR_DOCUMENT_UNKNOWN' },
  },
  {
    id: 'CON-52',
    cites: 'DOC-11',
    says: 'a format that is not on offer is refused before the condition is looked at',
    url: '{latest}',
    headers: { accept: 'image/png', 'if-none-match': '*' },
    expected: { status: 406, problem: 'ERR_FORMAT_UNACCEPTABLE' },
  },
];
