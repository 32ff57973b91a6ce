export type { ContextLoader } from './json/context-loader.ts';
export { type ObjectOptions, toObject } from './json/to-object.ts';
