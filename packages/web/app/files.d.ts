// Files that are loaded by their address: see scripts/web-bundle.mjs.
declare module '*?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: what a bundler gives for a file.
  export default url;
}
