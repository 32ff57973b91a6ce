export { type NatsStore, type NatsStoreOptions, openNatsStore, type SharedConfig } from './nats-store.ts';
