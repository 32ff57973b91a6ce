/**
 * Resident memory from the text of Linux's `/proc/self/status`, bytes; `undefined` when it does not say.
 *
 * A log in LMDB is a mapped file: what of it the system holds counts as resident, and is freed when others need it.
 */
export function residentMemory(status: string): { ownBytes: number; residentBytes: number } | undefined {
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const [own, all] = [kib('RssAnon'), kib('VmRSS')];
  return Number.isNaN(own + all) ? undefined : { ownBytes: own * 1024, residentBytes: all * 1024 };
}
