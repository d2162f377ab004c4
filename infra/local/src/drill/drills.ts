import { freezeMedia, silenceWebhooks } from './break-media.ts';
import type { Drill } from './drill.ts';
import { lockTable } from './fail-requests.ts';
import { freeze } from './freeze.ts';
import { giveUp } from './give-up.ts';
import { killAgents, startUnreachableAgents } from './kill-agents.ts';
import { fillSpool, lockSession, takeSpoolAway } from './let-messages-wait.ts';
import { MOVABLE_CLOCK, moveClock } from './move-clock.ts';
import { refuseClaims } from './refuse-claims.ts';
import { refuseMessages } from './refuse-messages.ts';
import { replaceDatabase } from './replace-database.ts';
import { openRoom } from './room.ts';
import { slowCounts } from './slow-counts.ts';

const SMALL_SPOOL = { RECORDER_SPOOL_MAX_MB: '1' };

export const DRILLS: readonly Drill[] = [
  {
    alert: 'NoRecorder',
    breaks: 'All recorders hang (SIGSTOP).',
    mends: 'End the processes that hang, or let them go on: here SIGCONT.',
    break: (stack) => freeze(stack, 'recorder'),
  },
  {
    alert: 'SessionsUnrecorded',
    breaks: 'LiveKit hangs (SIGSTOP) while a session is recorded.',
    mends:
      'Bring LiveKit back: here SIGCONT. The recorders come back to their rooms by themselves.',
    break: freezeMedia,
  },
  {
    alert: 'SessionsUnderRecorded',
    others: ['ProcessDown'],
    breaks: 'One of two recorders of a session hangs (SIGSTOP).',
    mends: 'End it, so that it is started again, or let it go on: here SIGCONT.',
    env: { RECORDERS: '2', RECORDER_REDUNDANCY: '2' },
    async break(stack) {
      await using parts = new AsyncDisposableStack();
      parts.use(await openRoom(stack));
      parts.use(await freeze(stack, 'recorder-2'));
      return parts.move();
    },
  },
  {
    alert: 'SessionsUncounted',
    breaks: 'The count of the sessions sleeps for two seconds.',
    mends: 'Find what holds up count_recording in pg_stat_activity. Here it sleeps no longer.',
    break: slowCounts,
  },
  {
    alert: 'RecordersFull',
    breaks: 'A recorder with RECORDER_CAPACITY=1 records a session.',
    mends: 'Start more recorders, or raise RECORDER_CAPACITY. Here the session is closed.',
    env: { RECORDER_CAPACITY: '1' },
    break: openRoom,
  },
  {
    alert: 'MessagesWait',
    breaks: 'A transaction holds the row of a session in session_heads, and a message is sent.',
    mends: 'End the transaction: pg_stat_activity and pg_blocking_pids() name it.',
    break: lockSession,
  },
  {
    alert: 'SpoolFills',
    others: ['DatabaseAway'],
    breaks: 'PostgreSQL hangs (SIGSTOP), and messages wait that half fill a spool of 1 MB.',
    mends: 'Bring the database back: here SIGCONT. The recorders then store what waits.',
    env: SMALL_SPOOL,
    break: (stack) => fillSpool(stack, 700_000),
  },
  {
    alert: 'SpoolRefused',
    others: ['DatabaseAway'],
    breaks: 'A file is where the folder of the spool was, and PostgreSQL hangs (SIGSTOP).',
    mends: 'Give the recorder its folder back, and bring the database back: here SIGCONT.',
    break: takeSpoolAway,
  },
  {
    alert: 'MessagesRefused',
    breaks: 'A check constraint refuses a message that is sent.',
    mends:
      'Drop the constraint, then run `npm --prefix apps/recorder run replay-rejected` for the folder of the recorder.',
    break: refuseMessages,
  },
  {
    alert: 'MessagesLost',
    others: ['DatabaseAway', 'SpoolFills'],
    breaks: 'PostgreSQL hangs (SIGSTOP), and more messages wait than a spool of 1 MB takes.',
    mends:
      'Bring the database back: here SIGCONT. What is lost stays lost: its gap is in the history.',
    env: SMALL_SPOOL,
    break: (stack) => fillSpool(stack, 1_500_000),
  },
  {
    alert: 'WebhooksSilent',
    breaks: 'LiveKit sends its webhooks to an address where nothing listens.',
    mends: 'Correct `webhook` in the configuration of LiveKit, and restart it.',
    break: silenceWebhooks,
  },
  {
    alert: 'ClockWrong',
    breaks: 'The clock of a recorder is ten seconds slow.',
    mends: 'Set the clock of its machine by a time service. In the drill it is set right again.',
    env: MOVABLE_CLOCK,
    break: moveClock,
  },
  {
    alert: 'NoApi',
    breaks: 'The API hangs (SIGSTOP).',
    mends: 'End it, so that it is started again, or let it go on: here SIGCONT.',
    break: (stack) => freeze(stack, 'api'),
  },
  {
    alert: 'ProcessDown',
    breaks: 'One of two recorders hangs (SIGSTOP).',
    mends: 'End it, so that it is started again, or let it go on: here SIGCONT.',
    env: { RECORDERS: '2' },
    break: (stack) => freeze(stack, 'recorder-2'),
  },
  {
    alert: 'DatabaseAway',
    breaks: 'PostgreSQL hangs (SIGSTOP).',
    mends: 'Bring the database back: here SIGCONT. The recorders then store what waits.',
    break: (stack) => freeze(stack, 'postgres'),
  },
  {
    alert: 'DatabaseReplaced',
    breaks: 'The database notes that another server held it until now.',
    mends:
      'If messages may be lost, stop APIs and recorders, run `after-restore`, and start them again. Here the note is removed.',
    break: replaceDatabase,
  },
  {
    alert: 'RequestsFail',
    breaks: 'A transaction locks the table of environment templates, and a client asks for some.',
    mends: 'End the transaction: pg_stat_activity and pg_blocking_pids() name it.',
    break: lockTable,
  },
  {
    alert: 'AgentsRestart',
    breaks: 'The programs of six agents are killed, and killed again when they are back.',
    mends: 'Nothing here: they come back by themselves. Otherwise their log says why they end.',
    break: killAgents,
  },
  {
    alert: 'AgentsFail',
    others: ['AgentsRestart'],
    breaks: 'Three agents are started, and AGENT_MEDIA_URL leads nowhere.',
    mends: 'Correct AGENT_MEDIA_URL, and restart the APIs. Here the sessions are closed.',
    env: { AGENT_MEDIA_URL: 'ws://127.0.0.1:9' },
    break: startUnreachableAgents,
  },
  {
    alert: 'WebhooksGivenUp',
    breaks: 'Nothing listens where a webhook leads, and its row is dated four days back.',
    mends: 'Start the receiver, and make the webhook `active`. Here the webhook is deleted.',
    break: giveUp,
  },
  {
    alert: 'WebhooksOverdue',
    breaks: 'A check constraint refuses each claim of a session for a webhook.',
    mends: 'Remove what the log of the APIs names. Here the constraint is dropped.',
    break: refuseClaims,
  },
];
