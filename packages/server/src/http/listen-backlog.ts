/**
 * Connections that may wait to be accepted: those of readers who come back together. Where the system allows fewer, it is
 * that; with the default of Node.js, 511, the others would try again only after one second, then two, then four.
 */
export const LISTEN_BACKLOG = 4096;
