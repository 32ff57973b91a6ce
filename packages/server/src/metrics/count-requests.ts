import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestKind } from '../documents/document.ts';
import { RequestCounts } from './request-counts.ts';

// What the routes of this package have among themselves, on instances and on requests.
const COUNTS = 'liveRequestCounts';
const COUNTED = 'liveRequestCounted';

interface Counted {
  readonly counts: RequestCounts;
  readonly kind: RequestKind;
}

/**
 * Counts the answers that Fastify sends, unless the instance around it does so already. Documents and push streams,
 * which are written past it, are counted where they are written.
 *
 * @returns what is counted of what is beside the streams; what no route has said to be anything else is other
 * @see specs/metrics.md PUSH-41
 */
export function countRequests(fastify: FastifyInstance): RequestCounts {
  if (fastify.hasDecorator(COUNTS)) return fastify.getDecorator<RequestCounts>(COUNTS);
  const counts = new RequestCounts();
  fastify.decorate(COUNTS, counts);
  fastify.decorateRequest(COUNTED, undefined);
  const other: Counted = { counts, kind: 'other' };
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const counted = request.getDecorator<Counted | undefined>(COUNTED) ?? other;
    counted.counts.add(counted.kind, reply.statusCode);
    done();
  });
  return counts;
}

/** Says what a request is for, as which its answer is counted if Fastify sends it. */
export function countAs(request: FastifyRequest, counts: RequestCounts, kind: RequestKind): void {
  const counted: Counted = { counts, kind };
  request.setDecorator(COUNTED, counted);
}
