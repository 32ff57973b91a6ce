export { type NatsStore, type NatsStoreOptions, openNatsStore } from './nats-store.ts';
export type { SharedConfig } from './shared-config.ts';
