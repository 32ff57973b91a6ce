import type { IngestLimits } from '@ldes-live/server';
import { z } from 'zod';
import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { integer } from '../integer.ts';
import { renamed } from '../renamed.ts';
import { strictMapping } from '../strict-mapping.ts';
import { expandedText, httpUrl } from './http-fields.ts';

const HASH = /^[0-9a-f]{64}$/;

/** Members that arrive by POST. */
export function postSchema(environment: Environment) {
  const hash = expandedText(
    environment,
    HASH,
    'the SHA-256 of a token in quotes, 64 of 0-9 and a-f: ldes-live token makes one',
  );
  const tokens = 'a list of hashes of tokens: ldes-live token makes one';
  const file = (what: string) => z.string({ error: what }).regex(/\S/, what);
  const contexts = 'a mapping of URLs of JSON-LD contexts to files';
  return strictMapping('a mapping with post and tokens', {
    post: z.literal(true, { error: 'true' }),
    tokens: z.array(hash, { error: tokens }).min(1, tokens),
    shape: file('the file of a SHACL shape, such as ./water.shape.ttl').exactOptional(),
    contexts: z
      .record(httpUrl('the URL of a JSON-LD context'), file('the file of the context, such as ./water.context.json'), {
        error: contexts,
      })
      .exactOptional(),
    limits: ingestLimitsSchema().exactOptional(),
  }).transform(({ post: _, tokens: tokenHashes, ...rest }) => ({ kind: 'post' as const, tokenHashes, ...rest }));
}

/** What the server calls the limits, and messages with them. */
const NAMES = {
  bytes: 'limitBodyBytes',
  members: 'limitBodyMembers',
  documentBytes: 'limitDocumentBytes',
  memberCharacters: 'limitMemberCharacters',
  memberQuads: 'limitMemberQuads',
  depth: 'limitDepth',
  contextTerms: 'limitContextTerms',
  contextWork: 'limitContextWork',
  nodeValues: 'limitNodeValues',
  posts: 'limitPosts',
  waitingPosts: 'limitWaitingPosts',
  batchMembers: 'limitBatchMembers',
  batchCharacters: 'limitBatchCharacters',
  silence: 'limitSilenceMs',
  time: 'limitPostMs',
  keys: 'limitKeys',
  keyAge: 'limitKeyAgeMs',
} as const satisfies Record<string, keyof IngestLimits>;

function ingestLimitsSchema() {
  return strictMapping(`a mapping with any of ${Object.keys(NAMES).join(', ')}`, {
    bytes: integer(1).exactOptional(),
    members: integer(1).exactOptional(),
    documentBytes: integer(1).exactOptional(),
    memberCharacters: integer(1).exactOptional(),
    memberQuads: integer(1).exactOptional(),
    depth: integer(1).exactOptional(),
    contextTerms: integer(1).exactOptional(),
    contextWork: integer(1).exactOptional(),
    nodeValues: integer(1).exactOptional(),
    posts: integer(1).exactOptional(),
    waitingPosts: integer(1).exactOptional(),
    batchMembers: integer(1).exactOptional(),
    batchCharacters: integer(1).exactOptional(),
    silence: durationSchema({ least: '1ms', example: '30s' }).exactOptional(),
    time: durationSchema({ least: '1ms', example: '1h' }).exactOptional(),
    keys: integer(1).exactOptional(),
    keyAge: durationSchema({ least: '1ms', most: '366d', example: '1d' }).exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform(
    (limits): Partial<IngestLimits> => renamed(limits, NAMES),
  );
}
