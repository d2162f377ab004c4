import type { Drill } from './drill.ts';
import { freeze } from './freeze.ts';
import { refuseMessages } from './refuse-messages.ts';

/** The drills: one for each alert, in the order of the rules. */
export const DRILLS: readonly Drill[] = [
  {
    alert: 'NoRecorder',
    breaks: 'All recorders hang (SIGSTOP).',
    mends: 'End the processes that hang, or let them go on: here SIGCONT.',
    break: (stack) => freeze(stack, 'recorder'),
  },
  {
    alert: 'MessagesRefused',
    breaks: 'A check constraint refuses a message that is sent.',
    mends:
      'Drop the constraint, then run `npm run replay-rejected` for the folder of the recorder.',
    break: refuseMessages,
  },
  {
    alert: 'DatabaseAway',
    breaks: 'PostgreSQL hangs (SIGSTOP).',
    mends: 'Bring the database back: here SIGCONT. The recorders then store what waits.',
    break: (stack) => freeze(stack, 'postgres'),
  },
];
