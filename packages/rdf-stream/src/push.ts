export { type DeflateOptions, deflateBlock } from './push-encoding/deflate-block.ts';
export { GZIP_HEADER } from './push-encoding/gzip-header.ts';
export { httpChunk } from './push-encoding/http-chunk.ts';
export { SharedDeflate } from './push-encoding/shared-deflate.ts';
export { storedBlock } from './push-encoding/stored-block.ts';
