/** Options of Node.js for a process or thread that runs the sources: no build stands between a change and its test. */
export const FROM_SOURCES: readonly string[] = [
  '--conditions=@ldes-live/source',
  '--import',
  new URL('typescript-hooks.mjs', import.meta.url).href,
];
