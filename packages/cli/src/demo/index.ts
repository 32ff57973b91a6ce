export { type DemoFeeds, type DemoState, demoFeeds, simulate, TICK_SECONDS, tickAt } from './feeds.ts';
export { type TransitNetwork, transitNetwork } from './network.ts';
export { startDemoFeedServer } from './server.ts';
