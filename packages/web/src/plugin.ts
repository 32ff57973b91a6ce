import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type WebOptions, webPages } from './pages.ts';

/** What {@link liveWeb} takes. */
export interface LiveWebOptions extends WebOptions {
  /** Where the page is, besides `/status` and `/view`: paths of one segment, below the `prefix`. @defaultValue `['/']` */
  readonly paths?: readonly string[];
}

/**
 * A Fastify plugin that has the pages at URLs of their own, below the `prefix` that it is registered with. For pages at the
 * URLs of streams, give `pages: webPages()` to `liveStreams` instead.
 *
 * @throws {@link StreamError} those of {@link webPages} - at registration
 * @example
 * ```ts
 * await app.register(liveWeb, { prefix: '/viewer', foreign: true });
 * ```
 */
export const liveWeb: FastifyPluginAsync<LiveWebOptions> = async (fastify, { paths = ['/'], ...options }) => {
  const pages = webPages(options);
  const { prefix } = fastify;
  const answer = ({ raw, url }: FastifyRequest, reply: FastifyReply) => {
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    const path = url.slice(prefix.length).split(/[?#]/, 1)[0] as string;
    if (!pages(raw, reply.raw, path)) return reply.callNotFound();
    return reply.hijack();
  };
  for (const path of [...paths, '/status', '/view', '/web/*']) fastify.get(path, answer);
};
