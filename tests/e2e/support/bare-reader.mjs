// Follows a stream by the browser bundle, which finds nothing of Node's own in this process, and prints its changes.
// `node bare-reader.mjs FOLDER URL MAL`: FOLDER is that of the bundle. Ends when its standard input does.
const { argv, stdin, stdout } = process;
const [, , folder, url, mal] = argv;

for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate']) {
  const value = globalThis[name];
  const get = () => {
    // Whoever asks stands second on the stack. Node's own fetch may have what the bundle may not.
    const [, , asking] = new Error().stack.split('\n');
    if (asking.includes(folder)) throw new ReferenceError(`${name} is not defined`);
    return value;
  };
  Object.defineProperty(globalThis, name, { get });
}

const { createLiveClient } = await import(`${folder}/ldes-live-client.js`);
const { toObject } = await import(`${folder}/ldes-live-client-json.js`);

const stop = new AbortController();
stdin.on('end', () => stop.abort());
stdin.resume();
const follower = createLiveClient({ mal: Number(mal) }).follow(url, { from: 'latest', signal: stop.signal });
try {
  for await (const change of follower) {
    const context = { '@vocab': 'http://example.org/' };
    const object = change.kind === 'upsert' ? await toObject(change, { context }) : undefined;
    stdout.write(`${JSON.stringify({ kind: change.kind, via: change.via, object })}\n`);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
