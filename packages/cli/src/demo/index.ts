export { type DemoFeeds, demoFeeds } from './demo-feeds.ts';
export { type DemoState, simulate, TICK_SECONDS, tickAt } from './simulate.ts';
export { type TransitNetwork, transitNetwork } from './transit-network.ts';
