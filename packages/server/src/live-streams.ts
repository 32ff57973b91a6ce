import type { FastifyPluginAsync } from 'fastify';
import type { LiveStreamsOptions } from './options.ts';
import { publishStreams } from './publish-streams.ts';

/**
 * A Fastify plugin that publishes streams: catalogue, documents, Server-Sent Events and health. It is
 * encapsulated: its answers to errors do not reach the routes around it.
 *
 * Documents are written to the connection directly: `onSend` hooks of the app around do not see them, and what its
 * earlier hooks set with `reply.header` goes along. Push streams pass both by.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT`, `ERR_LIMIT` - at registration
 * @see specs/documents.md
 * @see specs/push.md
 * @example
 * ```ts
 * await app.register(liveStreams, { publicUrl: 'https://live.example.org/', streams });
 * ```
 */
export const liveStreams: FastifyPluginAsync<LiveStreamsOptions> = async (fastify, options) => {
  await publishStreams(fastify, options);
};
