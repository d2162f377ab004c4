/**
 * Does `work` while no other tab of this browser does work of the same name: what one tab creates, the next finds. Outside of a
 * secure context browsers have no locks, and tabs do not wait for each other.
 */
export async function inOneTab<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? await navigator.locks.request(name, work) : await work();
}
