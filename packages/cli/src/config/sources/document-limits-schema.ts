import type { HttpSourceLimits } from '@ldes-live/sources';
import type { z } from 'zod';
import { durationSchema } from '../duration-schema.ts';
import { integer } from '../integer.ts';
import { share } from '../limits-schema.ts';
import { renamed } from '../renamed.ts';
import { strictMapping } from '../strict-mapping.ts';

/** What the sources call the limits, and messages with them. */
const NAMES = {
  bytes: 'limitBytes',
  headers: 'limitHeadersMs',
  body: 'limitBodyMs',
  redirects: 'limitRedirects',
  records: 'limitRecords',
  depth: 'limitDepth',
  pages: 'limitPages',
  goneShare: 'limitGoneShare',
} as const satisfies Record<string, keyof HttpSourceLimits>;

/** How much of a document is taken, and how long it may take. */
export function documentLimitsSchema() {
  return strictMapping(`a mapping with any of ${Object.keys(NAMES).join(', ')}`, {
    bytes: integer(1).exactOptional(),
    headers: durationSchema({ least: '1ms', example: '10s' }).exactOptional(),
    body: durationSchema({ least: '1ms', example: '30s' }).exactOptional(),
    redirects: integer(0, 100).exactOptional(),
    records: integer(1, 100_000_000).exactOptional(),
    depth: integer(1, 1000).exactOptional(),
    pages: integer(1, 10_000).exactOptional(),
    goneShare: share().exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform((limits): HttpSourceLimits => renamed(limits, NAMES));
}
