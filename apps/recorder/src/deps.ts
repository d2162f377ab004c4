import { appendMessages, CommitGuard, isPooled, openDatabase, StoredNotifier } from '@session/db';
import { openRoomService, packetPublicKey, packetVerifier, quietSdk } from '@session/media';
import type { Traces } from '@session/traces';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import { LANES_AT_ONCE } from './history/lanes/lanes.ts';
import { defaultMaxRss, readOpenFilesLimit, roomLimits } from './process/limits.ts';
import { createLog } from './process/log.ts';
import { observeQueries } from './process/metrics.ts';
import { queriesOn } from './queries.ts';
import type { RecorderDeps } from './recorder.ts';
import { TIMING } from './timing.ts';

const FLUSH_LOCK_MS = 500;

/** Opens separate connections for the history, so that messages and slots do not wait for each other. */
export function createDeps(
  config: Config,
  recorderId: string,
  traces?: Traces,
  timing = TIMING,
): RecorderDeps & { readonly registry: Registry } & AsyncDisposable {
  const log: Logger = createLog(config.logLevel);
  const stack = new AsyncDisposableStack();
  const applicationName = `recorder-${recorderId}`;
  const shared = { applicationName, isPooled: isPooled(config) };
  const database = stack.use(openDatabase(config.databaseUrl, { ...shared, connections: 2 }));
  const history = stack.use(
    openDatabase(config.databaseUrl, {
      ...shared,
      connections: 1 + LANES_AT_ONCE,
      statementTimeoutMs: timing.flushTimeoutMs,
      lockTimeoutMs: FLUSH_LOCK_MS,
    }),
  );
  const notifier = stack.use(new StoredNotifier(database));
  const commits = new CommitGuard(history);
  const maxRss = config.maxRssBytes ?? defaultMaxRss(process.constrainedMemory());
  const limits = roomLimits(config.capacity, readOpenFilesLimit(), maxRss);
  // While keys are changed, the API may have another key than this recorder.
  const verifiers = config.webhookKeys.map((key) => packetVerifier(packetPublicKey(key)));
  quietSdk();
  const { queries, registry } = observeQueries({
    ...queriesOn(database),
    appendMessages: async (batch, options) => {
      const result = await commits.run(() => appendMessages(history, batch, options));
      if (result.stored > 0) notifier.notify(batch.map(({ sessionId }) => sessionId));
      return result;
    },
  });
  return {
    recorderId,
    config: { ...config, ...limits },
    log,
    timing,
    rooms: openRoomService(config.media),
    isSigned: (room, packet) => verifiers.some((isSigned) => isSigned(room, packet)),
    queries,
    registry,
    traces,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
