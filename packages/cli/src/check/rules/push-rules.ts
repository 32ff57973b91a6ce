import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import { readCacheControl } from '../evidence/cache-control.ts';
import type { Evidence, PushProbe } from '../evidence/evidence.ts';
import type { Rule } from './rule.ts';

/** The push endpoints that the root states. */
export const pushRules: readonly Rule[] = [
  {
    id: 'CHK-79',
    severity: 'error',
    title: 'A push endpoint that is stated answers with text/event-stream',
    source: 'HTML, server-sent events; ldes-live, push',
    check: ({ push }) =>
      push
        .filter((probe) => !isOpen(probe))
        .map(({ statedBy, exchange: { url, status, fields, failure } }) => ({
          url,
          saw:
            status === 0
              ? `no response (${failure}); stated by ${statedBy}`
              : `status ${status}, Content-Type: ${fields['content-type'] ?? 'none'}; stated by ${statedBy}`,
        })),
  },
  {
    id: 'CHK-80',
    severity: 'warning',
    title: 'Events are not cached',
    source: 'ldes-live, push',
    check: (evidence) =>
      open(evidence).flatMap(({ exchange: { url, fields } }) => {
        const caching = readCacheControl(fields['cache-control']);
        const isKept = !['no-store', 'no-cache'].some((name) => caching.directives.has(name));
        return isKept ? [{ url, saw: `Cache-Control: ${caching.field ?? 'none'}` }] : [];
      }),
  },
  {
    id: 'CHK-81',
    severity: 'warning',
    title: 'A push endpoint sends something at once, so that a reader can tell it from one that a proxy holds back',
    source: 'ldes-live, push',
    check: (evidence) =>
      open(evidence).flatMap(({ exchange: { url, bytes, failure } }) =>
        bytes === 0 ? [{ url, saw: `no byte of an event (${failure ?? 'it ended'})` }] : [],
      ),
  },
];

function isOpen({ exchange: { status, fields } }: PushProbe): boolean {
  return status === 200 && (fields['content-type'] ?? '').toLowerCase().startsWith(EVENT_STREAM_MEDIA_TYPE);
}

function open({ push }: Evidence): PushProbe[] {
  return push.filter(isOpen);
}
