import { ingestLimits, type LiveStream } from '../options.ts';
import { createMemberValidator } from './member-validator.ts';
import { ownIris } from './own-iris.ts';
import { PostEndpoint, type PostEndpointParts } from './post-endpoint.ts';
import { readTokenHashes } from './post-token.ts';

/**
 * Makes the endpoints of the streams that take posts, by the names of these. What validates is loaded only where something
 * is to be validated.
 *
 * @throws {@link StreamError} `ERR_TOKEN_HASH` - a stream has no tokens, or what is none
 * @throws {@link StreamError} `ERR_LIMIT` - a limit is not an integer of 1 or more
 * @throws {@link StreamError} `ERR_SHAPE_UNUSABLE` - nothing can be validated by a shape
 */
export async function postEndpoints(
  streams: readonly LiveStream[],
  edge: Pick<PostEndpointParts, 'edge' | 'random'>,
): Promise<ReadonlyMap<string, PostEndpoint>> {
  const taking = streams.flatMap(({ description, log, shape, ingest }) =>
    ingest ? [{ description, log, shape, ingest, tokens: readTokenHashes(description.name, ingest.tokenHashes) }] : [],
  );
  const names = streams.map(({ description }) => description.name);
  const endpoints = taking.map(async (stream): Promise<[string, PostEndpoint]> => {
    const { description, log, shape, ingest, tokens } = stream;
    const endpoint = new PostEndpoint({
      stream: { description, log },
      contexts: ingest.contexts ?? {},
      limits: ingestLimits(ingest.limits),
      tokens,
      otherTokens: taking.flatMap((other) => (other === stream ? [] : other.tokens)),
      validate: shape && (await createMemberValidator(shape, description)),
      isOwnIri: ownIris(description.publicUrl, names),
      ...edge,
    });
    return [description.name, endpoint];
  });
  return new Map(await Promise.all(endpoints));
}
