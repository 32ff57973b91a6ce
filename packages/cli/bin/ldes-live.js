#!/usr/bin/env node
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { main } from '../dist/index.js';

// V8 would let the heap grow to four times what is in use before it collects: in bulk posts garbage would take most of the
// memory. At twice as much it collects more often, off the main thread for the most part.
setFlagsFromString('--heap-growing-percent=100');
process.exitCode = await main(process);
// A server that is silent may leave a connection open. It is not to keep a command that has ended, once all is written.
setInterval(() => {
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
}, 1000).unref();
