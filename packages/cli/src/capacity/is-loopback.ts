/** Whether a URL is one of this machine alone, by its name. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
