export { bench } from './bench.ts';
export { type DocumentsReport, runDocuments } from './documents/documents.ts';
export { type FanoutReport, runFanout } from './fanout/fanout.ts';
