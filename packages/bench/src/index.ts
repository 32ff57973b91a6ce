export { bench } from './bench.ts';
export { type DocumentsReport, runDocuments } from './documents/documents.ts';
