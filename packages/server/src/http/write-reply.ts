import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { DocumentAnswer } from './send-document.ts';

/** Writes a whole answer to its connection. */
export function writeAnswer(response: ServerResponse, { status, fields, content }: DocumentAnswer): void {
  // Node's types ask for an array that may be changed; it is only read.
  response.writeHead(status, fields as string[]);
  if (content) response.end(content);
  else response.end();
}

/**
 * Writes a whole answer in place of Fastify's own way, which takes several times as long as everything else that is
 * done for a document that is ready. Hooks that run before the handler add their fields as ever, and `onResponse` hooks
 * run; `onSend` hooks do not. What hooks have set goes first, but for `vary`, where both count.
 */
export function writeReply(reply: FastifyReply, answer: DocumentAnswer): void {
  const set = reply.getHeaders();
  reply.hijack();
  if (isEmpty(set)) {
    writeAnswer(reply.raw, answer);
    return;
  }
  reply.raw.writeHead(answer.status, merged(answer.fields, set));
  reply.raw.end(answer.content);
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}

type Values = ReturnType<FastifyReply['getHeaders']>;

function merged(fields: readonly string[], set: Values): Record<string, string | string[] | number> {
  const result: Record<string, string | string[] | number> = {};
  for (let index = 0; index < fields.length; index += 2) result[fields[index] as string] = fields[index + 1] as string;
  const { vary } = result;
  for (const [name, value] of Object.entries(set)) if (value !== undefined) result[name] = value;
  if (vary !== undefined && set.vary !== undefined) result.vary = `${String(vary)}, ${String(set.vary)}`;
  return result;
}
