import type { z } from 'zod';
import type { SourceConfig } from './source-schema.ts';

/**
 * Notes each MQTT source that names a session which another one of the same broker has already: a broker lets one of
 * them in at a time, and the messages of either go to both.
 *
 * @param streams - by their names
 * @see specs/mqtt.md MQTT-25
 */
export function noteSharedSessions(
  streams: Readonly<Record<string, { readonly source: SourceConfig }>>,
  context: z.RefinementCtx,
): void {
  const owners = new Map<string, string>();
  for (const [name, { source }] of Object.entries(streams)) {
    if (source.kind !== 'mqtt' || source.clientId === undefined) continue;
    const session = JSON.stringify([brokerOf(source.url), source.clientId]);
    const owner = owners.get(session);
    if (owner === undefined) owners.set(session, name);
    else {
      const message = `another one than that of the stream ${owner}, which is at the same broker, or none`;
      context.addIssue({ code: 'custom', path: [name, 'source', 'clientId'], message, input: source.clientId });
    }
  }
}

function brokerOf(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  // Of a scheme that is not known to URLs, the host is not made lower case.
  return `${hostname.toLowerCase()}:${port || (protocol === 'mqtts:' ? 8883 : 1883)}`;
}
