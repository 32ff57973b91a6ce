import type { ConformanceCase } from './conformance-case.ts';

const ORIGIN = 'https://map.example.org';
const EXPOSED = /^(?=.*\bETag\b)(?=.*\bLink\b)(?=.*\bLDES-Cursor\b)(?=.*\bNext-Update\b)(?=.*\bRetry-After\b)/i;
const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'GET' };

/** What pages of other origins may do: read everything, whatever the answer is. */
export const originCases: readonly ConformanceCase[] = [
  ...['{base}', '{root}', '{latest}', '{sealed}', '{open}', '{range}', '{entity}', '{base}ns/live', '{base}health'].map(
    (url, index): ConformanceCase => ({
      id: `ORI-${index + 1}`,
      cites: 'Fetch Standard, CORS protocol',
      says: `${url} may be read, with its fields`,
      url,
      headers: { origin: ORIGIN },
      expected: {
        status: 200,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': EXPOSED,
          'access-control-allow-credentials': null,
        },
      },
    }),
  ),
  {
    id: 'ORI-10',
    cites: 'Fetch Standard, CORS protocol',
    says: 'without an Origin too, since caches hand answers to others',
    url: '{latest}',
    expected: { status: 200, headers: { 'access-control-allow-origin': '*', vary: /^(?!.*Origin)/ } },
  },
  {
    id: 'ORI-11',
    cites: 'PUSH-1',
    says: 'a push stream may be read',
    url: '{events}',
    headers: { origin: ORIGIN },
    expected: {
      status: 200,
      headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED },
    },
  },
  {
    id: 'ORI-12',
    cites: 'ERR-1',
    says: 'an error may be read',
    url: '{root}/nonsense',
    headers: { origin: ORIGIN },
    expected: { status: 404, headers: { 'access-control-expose-headers': EXPOSED }, problem: 'ERR_DOCUMENT_UNKNOWN' },
  },
  {
    id: 'ORI-13',
    cites: 'DOC-13',
    says: 'a redirect may be followed',
    url: '{pages}?after={head}',
    headers: { origin: ORIGIN },
    expected: { status: 307, headers: { 'access-control-allow-origin': '*' } },
  },
  {
    id: 'ORI-14',
    cites: 'DOC-11',
    says: 'a 304 may be read',
    url: '{latest}',
    headers: { origin: ORIGIN, 'if-none-match': '{etag}' },
    expected: {
      status: 304,
      headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED },
    },
  },
  ...['{base}', '{root}', '{latest}', '{sealed}', '{pages}', '{events}'].map(
    (url, index): ConformanceCase => ({
      id: `ORI-${20 + index}`,
      cites: 'Fetch Standard, CORS-preflight request',
      says: `a preflight of ${url} is granted`,
      url,
      method: 'OPTIONS',
      headers: { ...PREFLIGHT, 'access-control-request-headers': 'accept, if-none-match, last-event-id' },
      expected: {
        status: 204,
        headers: {
          'access-control-allow-methods': /^(?=.*\bGET\b)(?=.*\bHEAD\b)/,
          'access-control-allow-headers': /^(?=.*\bAccept\b)(?=.*\bIf-None-Match\b)(?=.*\bLast-Event-ID\b)/i,
          'access-control-max-age': '86400',
        },
        content: 'none',
      },
    }),
  ),
];
