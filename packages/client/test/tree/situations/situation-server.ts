import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { httpServer } from '@ldes-live/test-support/net';
import { type Answer, ORIGIN, type Situation } from './situation.ts';

/** A publisher on loopback. */
export interface SituationServer {
  /** The address of the entry. */
  readonly entryUrl: string;
  /** The path of a member from its IRI. */
  pathOf(iri: string): string;
  /** Answers otherwise from now on. */
  publish(path: string, answer: Answer): void;
  /** The paths asked for, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Serves a situation, in a folder, so that nothing happens to stand at the root of the server. */
export async function serveSituation(situation: Situation): Promise<SituationServer> {
  const asked: string[] = [];
  const pages = new Map(situation.pages);
  let base = '';
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = `${request.url}`.slice('/world/'.length);
    asked.push(path);
    const { status = 200, type = 'text/turtle', headers = {}, body = '', delayMs } = pages.get(path) ?? MISSING;
    if (delayMs !== undefined) await pause(delayMs);
    response.writeHead(status, {
      'content-type': type,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll(ORIGIN, base)])),
    });
    response.end(body.replaceAll(ORIGIN, base));
  };
  const server = await httpServer((request, response) => void respond(request, response));
  base = `${server.url}world`;
  return {
    entryUrl: `${base}/${situation.entry}`,
    pathOf: (iri) => (iri.startsWith(`${base}/`) ? iri.slice(base.length + 1) : iri),
    publish: (path, answer) => pages.set(path, answer),
    asked,
    close: server.close,
  };
}

const MISSING: Answer = { status: 404, type: 'text/plain', headers: {}, body: 'nothing here' };
