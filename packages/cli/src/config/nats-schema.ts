import { z } from 'zod';
import type { Environment } from './expand-environment.ts';
import { checked, expandedText } from './sources/http-fields.ts';
import { strictMapping } from './strict-mapping.ts';

/** The name of a node of a cluster. */
export const NODE_NAME = /^[A-Za-z0-9.-]{1,64}$/;
/** The name of a JetStream stream. */
export const NATS_STREAM = /^[A-Za-z0-9_-]{1,32}$/;

/** Whether a text is the address of a NATS server; a name and password in it would be in every message. */
export function isNatsUrl(text: string): boolean {
  return /^(?:nats|tls):\/\/(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?$/.test(text);
}

const FOLDER = 'a folder, such as ./data';

/** Where the logs are kept: a folder, memory, or NATS servers by their addresses. */
export function storeSchema() {
  const url = 'the URL of a NATS server, such as nats://host:4222 or tls://host:4222';
  const expected = `${FOLDER}, memory, or ${url}, or a list of these`;
  const servers = z.array(z.string({ error: url }).refine(isNatsUrl, url)).min(1, `at least one URL`);
  // No union: its mistakes would not say what is wrong within the list.
  return z
    .unknown()
    .transform((value, context): string | { readonly servers: readonly string[] } => {
      if (typeof value === 'string' && value.trim() !== '' && !value.includes('://')) return value;
      const isOne = typeof value === 'string' && isNatsUrl(value);
      if (!isOne && !Array.isArray(value)) context.addIssue({ code: 'custom', message: expected, input: value });
      const parsed = servers.safeParse(isOne ? [value] : value);
      if (parsed.success) return { servers: parsed.data };
      if (Array.isArray(value)) for (const issue of parsed.error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    })
    .default('./data');
}

/** How the logs are kept by NATS servers. */
export function natsSchema() {
  const replicas = [1, 3, 5];
  const odd = '1, 3 or 5';
  const path = (expected: string) => z.string({ error: expected }).refine((text) => text.trim() !== '', expected);
  return strictMapping('a mapping with any of replicas, credentials, stream, data', {
    replicas: z
      .number({ error: odd })
      .refine((value) => replicas.includes(value), odd)
      .exactOptional(),
    credentials: path('a file of credentials, such as ./ldes.creds').exactOptional(),
    stream: checked(NATS_STREAM, 'a name of 1 to 32 of A-Z, a-z, 0-9, "_" and "-"').exactOptional(),
    data: path(FOLDER).exactOptional(),
  });
}

/** What tells this node of a cluster from the others. */
export function nodeSchema(environment: Environment) {
  return expandedText(environment, NODE_NAME, 'a name of 1 to 64 of A-Z, a-z, 0-9, "." and "-"');
}

/** Notes what is of NATS beside a store that is not. */
export function noteUnusedNats(
  { store, nats, node }: { readonly store: unknown; readonly nats?: unknown; readonly node?: unknown },
  context: z.RefinementCtx,
): void {
  if (typeof store === 'object') return;
  const message = 'it beside a store at NATS servers only, such as store: nats://host:4222';
  for (const [key, input] of Object.entries({ nats, node })) {
    if (input !== undefined) context.addIssue({ code: 'custom', path: [key], message, input });
  }
}
