export { type Pages, type WebOptions, webPages } from './pages.ts';
export { type LiveWebOptions, liveWeb } from './plugin.ts';
