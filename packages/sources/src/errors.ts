import { defineErrors } from '@ldes-live/rdf-stream';

/** The errors of this package. */
export const errors = defineErrors({
  ERR_FEED_EMPTY: (_: Record<string, never>) =>
    'The feed is 0 bytes long, which is no message: even a feed without entities has a header. Check the URL.',
  ERR_FEED_MALFORMED: ({ offset, reason, start }: { offset: number; reason: string; start: string }) =>
    `The body is not a whole GTFS-Realtime message: ${reason} at byte ${offset}; it starts with "${start}". ` +
    'Check that the URL answers the Protocol Buffers form and that nothing cuts the download.',
  ERR_FEED_HEADER_MISSING: ({ lengthBytes }: { lengthBytes: number }) =>
    `The body of ${lengthBytes} bytes has no GTFS-Realtime header: check that the URL leads to a GTFS-Realtime feed.`,
  ERR_FEED_VERSION: ({ version }: { version: string }) =>
    `The feed says it is GTFS-Realtime version "${version}": versions 1.0 and 2.0 are understood.`,
  ERR_FEED_TOO_DEEP: ({ offset, limitDepth }: { offset: number; limitDepth: number }) =>
    `The feed nests deeper than ${limitDepth} at byte ${offset}: raise limitDepth if the producer means it.`,
  ERR_FEED_TOO_MANY_ENTITIES: ({ limitEntities }: { limitEntities: number }) =>
    `The feed has more than ${limitEntities} entities: raise limitEntities if the producer means it.`,
  ERR_KEY_FIELD: ({ message, field }: { message: string; field: string }) =>
    `"${field}" is no field of ${message} that a key can hold: give a field name of the specification, or the path of an unknown field such as 1001.1.`,
  ERR_IRI_TEMPLATE: ({ name, template }: { name: string; template: string }) =>
    `The template "${template}" of ${name} does not make one absolute IRI per key: use {+base} and the variables that specs/gtfs-realtime.md lists for it.`,
  ERR_FEED_UNREACHABLE: ({ url, reason }: { url: string; reason: string }) =>
    `No answer from ${url} (${reason}): check the host, the port and the network; it is tried again.`,
  ERR_FEED_TIMEOUT: ({ url, phase, limitMs }: { url: string; phase: 'headers' | 'body'; limitMs: number }) =>
    `${url} did not send its ${phase} within ${limitMs} ms: raise ${phase === 'headers' ? 'limitHeadersMs' : 'limitBodyMs'} if the server is known to be slow; it is tried again.`,
  ERR_FEED_REDIRECTS: ({ url, limitRedirects }: { url: string; limitRedirects: number }) =>
    `${url} redirects more than ${limitRedirects} times, perhaps in a circle: give the address that it should end at.`,
  ERR_FEED_STATUS: ({ url, status }: { url: string; status: number; retryAfterMs?: number }) =>
    `${url} answered with status ${status} instead of 200: check the address and, for 401 or 403, the keys; it is tried again.`,
  ERR_FEED_TOO_LARGE: ({ url, limitBytes }: { url: string; limitBytes: number }) =>
    `The body of ${url} is larger than ${limitBytes} bytes when decompressed: raise limitBytes if the producer means it.`,
  ERR_FEED_CUT: ({ url, received, reason }: { url: string; received: number; reason: string }) =>
    `The body of ${url} is not whole: it ended after ${received} bytes (${reason}). It is asked for again; if this stays, ask the producer.`,
  ERR_FEED_SHRUNK: ({ gone, living, limitGoneShare }: { gone: number; living: number; limitGoneShare: number }) =>
    `The feed lost ${gone} of ${living} entities in one poll, more than a share of ${limitGoneShare}: they stay until a later poll with other bytes confirms it, or the same bytes have stood for 10 minutes. Raise limitGoneShare if the producer means it.`,
  ERR_FEED_TIME_WENT_BACK: ({ headerTime, newest }: { headerTime: string; newest: string }) =>
    `The feed says that it is of ${headerTime}, before ${newest} as it said last: the newer state stays until three polls in a row go on from the earlier time. If this comes often, ask the producer whether two machines answer at this address.`,
  ERR_FEED_UNEXPECTED: ({ reason }: { reason: string }) =>
    `The poll failed for a reason that nobody foresaw (${reason}): its cause has more; please report it. It is tried again.`,
  ERR_SOURCE_OPTION: ({ option, value, expected }: { option: string; value: string; expected: string }) =>
    `The option ${option} is ${value}: give ${expected}.`,
});
