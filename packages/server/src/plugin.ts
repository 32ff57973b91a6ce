/*
 * The streams as a plugin of somebody else's Fastify app: routes that hand the requests of Node.js to the handler.
 *
 *   host: onRequest hooks -> guards (preHandler) -> GET /vehicles/latest -> reply.hijack() -> handler.handle(raw)
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from './errors.ts';
import { createHandler, type StreamHandler } from './handler.ts';
import { CORS_HEADERS, mergedFields, NO_STORE, privateFields } from './http/caching.ts';
import { answerableError, problemAnswer, refusedStatus } from './http/problem.ts';
import { loggerOf } from './logging.ts';
import type { LiveStreamsOptions } from './options.ts';

/**
 * A Fastify plugin that publishes streams: catalogue, documents, Server-Sent Events, posts, health and metrics.
 *
 * Hooks and guards of the app around run before reads are answered; posts, and methods that documents do not have, are
 * answered after its `onRequest` hooks, before it would read their content. Answers are written past Fastify, with the
 * header fields that the app has set until then: its `onSend` hooks, serializers and error handler see none of them,
 * its `onResponse` hooks all but push streams. A `prefix` has to be the path of `publicUrl`.
 *
 * @throws {@link StreamError} those of `createLiveServer` - at registration
 * @see specs/documents.md
 * @see specs/push.md
 * @example
 * ```ts
 * await app.register(liveStreams, { publicUrl: 'https://live.example.org/', streams });
 * ```
 */
export const liveStreams: FastifyPluginAsync<LiveStreamsOptions> = async (fastify, options) => {
  const handler = await createHandler(options, loggerOf(fastify.log));
  try {
    const names = options.streams.map(({ description }) => description.name);
    const ofPages = options.pages ? ['/status', '/view', '/web/*'] : [];
    const ofStreams = names.flatMap((name) => [`/${name}`, `/${name}/*`]);
    const paths = ['/', '/health', '/metrics', '/ns/*', ...ofPages, ...ofStreams];
    for (const path of paths) streamRoutes(fastify, path, handler);
    await extendRoutes(fastify, handler, options.extend);
    fastify.addHook('onReady', () => handler.start());
    // Before the server waits for its connections to end: streams would never end by themselves. Those who are not sent
    // away yet get every update.
    fastify.addHook('preClose', async () => {
      await handler.drain();
      await handler.close();
    });
  } catch (error) {
    // An app may have routes of its own at the same places.
    await handler.close();
    throw error;
  }
};

function streamRoutes(fastify: FastifyInstance, url: string, handler: StreamHandler): void {
  const answer = ({ raw }: FastifyRequest, reply: FastifyReply) => {
    const fields = reply.getHeaders();
    reply.hijack();
    // A hook has begun an answer on the response itself, and is to end it.
    if (reply.raw.headersSent) return;
    const extraFields = Object.keys(fields).length > 0 ? (fields as OutgoingHttpHeaders) : undefined;
    if (!handler.handle(raw, reply.raw, extraFields)) handler.refuse(raw, reply.raw, extraFields);
  };
  fastify.route({
    method: ['GET', 'HEAD'],
    url,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      answer(request, reply);
      return reply;
    },
  });
  fastify.route({
    method: fastify.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD'),
    url,
    // Before Fastify reads the content, or judges its type.
    onRequest: async (request, reply) => {
      answer(request, reply);
      return reply;
    },
    handler: async () => undefined,
  });
}

/**
 * Adds the routes of `extend`: their errors are problems, they are open to scripts of every origin, they have the limit on
 * URLs, and their answers are counted.
 */
export async function extendRoutes(
  fastify: FastifyInstance,
  handler: StreamHandler,
  extend: LiveStreamsOptions['extend'],
): Promise<void> {
  if (!extend) return;
  await fastify.register(async (plugin) => {
    plugin.setErrorHandler(errorAnswer(handler));
    plugin.addHook('onRequest', async ({ raw }, reply) => {
      const bytes = raw.url?.length ?? 0;
      const { limitUrlBytes } = handler;
      if (raw.method === 'GET' || raw.method === 'HEAD') handler.dropContent(raw, reply.raw);
      if (bytes > limitUrlBytes) throw errors.ERR_URL_TOO_LONG({ bytes, limitUrlBytes });
      // Browsers ask without a token what they may send.
      const refused = raw.method === 'OPTIONS' ? undefined : await handler.streamAt(raw)?.refusal?.(raw.headers);
      if (refused) throw refused;
    });
    plugin.addHook('onSend', ({ raw }, reply, _payload, done) => {
      // What the app around says goes first.
      for (const [name, value] of Object.entries(CORS_HEADERS)) if (!reply.hasHeader(name)) reply.header(name, value);
      if (handler.streamAt(raw)?.refusal) {
        const own = reply.getHeaders() as OutgoingHttpHeaders;
        const fields = privateFields(own);
        for (const name of Object.keys(own)) if (!(name in fields)) reply.removeHeader(name);
        reply.headers({ 'cache-control': fields['cache-control'], vary: fields.vary } as Record<string, string>);
      }
      handler.count(reply.statusCode);
      done();
    });
    await extend(plugin, handler.latestFields);
  });
}

/** Answers an error of a Fastify instance by a problem; its own refusals are requests that could not be understood. */
export function errorAnswer({ lines }: Pick<StreamHandler, 'lines'>) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = answerableError(thrown, request, lines);
    const { status, headers, body } = problemAnswer(error, refusedStatus(thrown));
    const fields = { ...mergedFields(headers, reply.getHeaders() as OutgoingHttpHeaders), 'cache-control': NO_STORE };
    return reply.code(status).headers(fields).send(body);
  };
}
