import type { SessionSettings } from '../../src/mqtt/session-settings.ts';

/** Settings of a session, as tests need them. */
export function settingsOf(changes: Partial<SessionSettings> = {}): SessionSettings {
  return {
    broker: 'mqtt://broker.example',
    version: 5,
    clientId: 'ldes-live-test',
    topics: [{ filter: 'sensors/+', qos: 1 }],
    sessionExpirySeconds: 3600,
    keepAliveSeconds: 30,
    limitPacketBytes: 100_000,
    limitWaitingMessages: 100,
    limitTopicAliases: 2,
    limitConnectMs: 10_000,
    isSubscribed: false,
    ...changes,
  };
}
