const START_MS = 1500;
const CLIENT_MS = 0.3;

/** How long starting a load and connecting its clients may well take, milliseconds. */
export function openingMs(clients: number): number {
  return START_MS + CLIENT_MS * clients;
}
