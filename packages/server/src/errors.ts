import { defineErrors } from '@ldes-live/rdf-stream';

/** The errors of this package. Those with a status are answers; `specs/errors.md` has them all. */
export const errors = defineErrors({
  ERR_STREAM_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `Nothing is published at ${path}. The streams here are: ${known.join(', ') || 'none'}.`,
  ERR_DOCUMENT_UNKNOWN: ({ path, known }: { path: string; known: readonly string[] }) =>
    `There is no document at ${path}. The stream has: ${known.join(', ')}.`,
  ERR_FORMAT_UNACCEPTABLE: ({ accept, offered }: { accept: string; offered: readonly string[] }) =>
    `None of "${accept}" is on offer. Ask for one of: ${offered.join(', ')}.`,
  ERR_CURSOR_GONE: ({ cursor, head, latest }: { cursor: string; head: string; latest: string }) =>
    `The log does not hold ${cursor}; it stands at ${head}. Start again from ${latest}.`,
  ERR_CURSOR_MISSING: ({ example }: { example: string }) =>
    `The query lacks "after": give the cursor after which to read on, such as ${example}.`,
  ERR_STREAM_NAME: ({ name }: { name: string }) =>
    `"${name}" cannot name a stream: use a-z, 0-9 and "-", at most 64 characters, and none of the server's own paths.`,
  ERR_PUBLIC_URL: ({ publicUrl }: { publicUrl: string }) =>
    `"${publicUrl}" is no base for IRIs: give an absolute http(s) URL that ends in "/", without query or fragment.`,
  ERR_REQUEST: ({ reason }: { reason: string }) => `The request could not be understood: ${reason}.`,
  ERR_INTERNAL: ({ path }: { path: string }) =>
    `The server failed on ${path}. The fault is on this side; ask again later.`,
});
