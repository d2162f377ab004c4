import { lookup as systemLookup, TIMEOUT } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { RotatingQueue } from './rotating-queue.ts';

/** Half of the threads that libuv leaves to lookups in the API, where `UV_THREADPOOL_SIZE` is 16 (`apps/api/node.env`). */
const LOOKUPS_AT_ONCE = 4;
const LOOKUPS_PER_DOMAIN = 1;
const TURN_MS = 5000;

/** What a person can register: the last two labels of a name, or three where a suffix such as `co.uk` has two. */
const DOMAIN = /[^.]+\.(?:(?:ac|co|com|edu|gov|net|or|org)\.[a-z]{2}|[^.]+)(?=\.?$)/;

type Callback = Parameters<LookupFunction>[2];
type Answer = Parameters<Callback>;

/**
 * Resolves names that members choose. All lookups of a process share its threads, so they all take turns here. A running lookup
 * cannot be cancelled: without an answer from a name server, it occupies its thread for up to ten seconds.
 */
export const memberLookup: LookupFunction = lookupInTurns(systemLookup);

/**
 * Returns a lookup whose domains take turns. Callers that ask for the same name at the same time share one answer. Fails with
 * `ETIMEOUT` when no turn has come within `TURN_MS`: `lookup` is then never called.
 */
export function lookupInTurns(lookup: LookupFunction): LookupFunction {
  const turns = new RotatingQueue(LOOKUPS_AT_ONCE, LOOKUPS_PER_DOMAIN);
  const pending = new Map<string, Promise<Answer>>();
  return (hostname, options, receive) => {
    if (isIP(hostname) !== 0) {
      lookup(hostname, options, receive);
      return;
    }
    const key = JSON.stringify([hostname, options]);
    let answer = pending.get(key);
    if (!answer) {
      const ask = (answered: Callback) => lookup(hostname, options, answered);
      answer = answerInTurn(turns, hostname, ask).finally(() => pending.delete(key));
      pending.set(key, answer);
    }
    answer.then(
      (found) => receive(...found),
      (error: NodeJS.ErrnoException) => receive(error, '', 0),
    );
  };
}

async function answerInTurn(
  turns: RotatingQueue,
  hostname: string,
  ask: (answered: Callback) => void,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    const message = `no turn to resolve ${hostname}: name servers do not answer`;
    reject(Object.assign(new Error(message), { code: TIMEOUT }));
  }, TURN_MS);
  const turn = turns.run(DOMAIN.exec(hostname)?.[0] ?? hostname, async () => {
    clearTimeout(timer);
    if (isLate) return;
    ask((...answer) => resolve(answer));
    await promise;
  });
  turn.catch(reject);
  return await promise;
}
