import { dcat, EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { CheckedDocument } from './checked-document.ts';
import { withoutFragment } from './tree-node.ts';

/** A push endpoint that a document states. */
export interface PushEndpoint {
  readonly url: string;
  readonly statedBy: string;
}

/**
 * The push endpoints that a root states: by a `Link` of type text/event-stream, or as the endpoint of a
 * dcat:DataService that names this media type.
 */
export function pushEndpoints(root: CheckedDocument): PushEndpoint[] {
  const endpoints = [...linked(root), ...described(root)];
  return [...new Map(endpoints.map((endpoint) => [endpoint.url, endpoint])).values()];
}

function linked({ exchange, url }: CheckedDocument): PushEndpoint[] {
  return [...(exchange.fields.link ?? '').matchAll(/<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"[^"]*"|[^\s;,]*))?)*)/g)]
    .filter(([, , parameters = '']) => /;\s*type\s*=\s*"?text\/event-stream\b/i.test(parameters))
    .flatMap(([, reference = '']) => endpoint(reference, url, 'the Link field'));
}

function described({ quads, url }: CheckedDocument): PushEndpoint[] {
  const services = new Set(
    quads
      .filter(({ object }) => object.value.toLowerCase().endsWith(EVENT_STREAM_MEDIA_TYPE))
      .map(({ subject }) => subject.value),
  );
  return quads
    .filter(({ subject, predicate }) => predicate.value === dcat.endpointURL && services.has(subject.value))
    .flatMap(({ object }) => endpoint(object.value, url, 'dcat:endpointURL'));
}

function endpoint(reference: string, base: string, statedBy: string): PushEndpoint[] {
  const url = withoutFragment(reference, base);
  return url === undefined ? [] : [{ url, statedBy }];
}
