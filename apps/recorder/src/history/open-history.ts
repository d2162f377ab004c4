import path from 'node:path';
import { StartError } from '@session/kit';
import type { Logger } from 'pino';
import type { RowWriter } from '../message-path.ts';
import type { Timing } from '../timing.ts';
import { BatchStore } from './batch-store.ts';
import { FailureJudge } from './failure-judge.ts';
import { HistoryWriter } from './history-writer.ts';
import { Lanes } from './lanes/lanes.ts';
import { LossReport } from './loss-report.ts';
import { MessageTraces, type MessageTracesDeps } from './message-traces.ts';
import { type RefusalDeps, refuseMessage } from './rejected/refuse-message.ts';
import { RejectedFile } from './rejected/rejected-file.ts';
import { Spool } from './spool/spool.ts';
import { SpoolRoom } from './spool/spool-room.ts';
import { StorageDelays } from './storage-delays.ts';
import { StorageState } from './storage-state.ts';

export interface HistoryDeps {
  readonly queries: RowWriter;
  readonly reportLoss: RefusalDeps['reportLoss'];
  readonly log: Logger;
  readonly timing: Pick<Timing, 'flushMs' | 'refuseMs' | 'spoolMs'>;
  readonly queueBytes?: number;
  readonly spoolFolder: string;
  readonly spoolBytes: number;
  readonly clock?: MessageTracesDeps['clock'];
  readonly traces?: MessageTracesDeps['traces'] | undefined;
  readonly recorderId?: string;
}

/**
 * Opens the history, and begins with what an earlier process left in the folder. Throws a StartError when the folder
 * cannot be used.
 */
export async function openHistory(deps: HistoryDeps): Promise<HistoryWriter> {
  const { spoolFolder, spoolBytes: limitBytes, timing, log } = deps;
  const losses = new LossReport(log, new RejectedFile(spoolFolder));
  const state = new StorageState(log);
  const refusal: RefusalDeps = {
    reportLoss: deps.reportLoss,
    reject: (...refused) => losses.refuse(...refused),
  };
  const { queries, traces, clock = Date, recorderId = '' } = deps;
  const messageTraces = traces && new MessageTraces({ traces, clock, recorderId });
  const delays = new StorageDelays(clock);
  const judge = new FailureJudge();
  const stored = { ...refusal, queries, clock, judge, delays, messageTraces };
  const onShed = (sessionId: string, count: number) => losses.shed(sessionId, count);
  const folder = (name: string) => path.join(spoolFolder, name);
  try {
    const spool = await Spool.open({ folder: folder('spool'), limitBytes, onShed });
    const lanes = await Lanes.open({
      folder: folder('lanes'),
      limitBytes,
      onShed,
      onUnsaved: (count) => losses.unsaved(count),
      store: new BatchStore({ ...stored, mayDefer: () => true }),
      refuse: (...refused) => refuseMessage(refusal, ...refused),
      refuseLine: (text) => losses.refuseLine(text),
      log,
      noted: (settledCount) => state.settled(settledCount),
      spoolMs: timing.spoolMs,
      refuseMs: timing.refuseMs,
    });
    const count = spool.length + lanes.length;
    if (count > 0) log.info({ count }, 'found messages in spool');
    const store = new BatchStore({ ...stored, mayDefer: (more) => lanes.mayOpen(more) });
    const room = new SpoolRoom({ folder: spoolFolder, limitBytes, spool, disk: state });
    const parts = { store, spool, lanes, state, losses, room, delays, messageTraces };
    return new HistoryWriter({ ...timing, ...deps, ...parts });
  } catch (cause) {
    throw new StartError(
      `RECORDER_SPOOL_DIR: ${spoolFolder} cannot be used. Check that the recorder can read and write the files in it.`,
      { cause },
    );
  }
}
