import type { MutatedFile } from '../mutant.ts';

/** Faults of a millisecond, or of one period, that only tests in virtual time notice. */
export const recorderTime: readonly MutatedFile[] = [
  {
    file: 'apps/recorder/src/process/memory-watch.ts',
    changes: [['CHECK_MS = 2000', 'CHECK_MS = 2001']],
  },
  {
    file: 'apps/recorder/src/process/webhook-watch.ts',
    changes: [['PATIENCE_MS = 60_000', 'PATIENCE_MS = 60_001']],
  },
  {
    file: 'apps/recorder/src/room/left-rooms.ts',
    changes: [
      ['EVERY_MS = 500', 'EVERY_MS = 501'],
      ['EMPTY_LOOKS = 4', 'EMPTY_LOOKS = 5'],
    ],
  },
  {
    file: 'apps/recorder/src/room/connect-queue.ts',
    changes: [['COUNTS_MS = 500', 'COUNTS_MS = 501']],
  },
  {
    file: 'apps/recorder/src/session/ending.ts',
    changes: [['QUIET_CHECK_MS = 10', 'QUIET_CHECK_MS = 30']],
  },
  {
    file: 'apps/recorder/src/session/event-order.ts',
    tests: ['apps/recorder/src/session/event-order-wait.test.ts'],
    changes: [
      ['STEPS = 5', 'STEPS = 6'],
      ['STEP_MS = 20', 'STEP_MS = 21'],
    ],
  },
  {
    file: 'apps/recorder/src/session/heard-texts.ts',
    changes: [['const LATE_MS = 2000', 'const LATE_MS = 2100']],
  },
  {
    file: 'apps/recorder/src/session/participant-names.ts',
    changes: [
      ['TIMEOUT_MS = 250', 'TIMEOUT_MS = 251'],
      ['REST_MS = 1000', 'REST_MS = 1001'],
    ],
  },
  {
    file: 'apps/recorder/src/session/sender-lookup.ts',
    changes: [
      ['RETRY_MS = 100', 'RETRY_MS = 200'],
      ['SURE_MS = 1000', 'SURE_MS = 1001'],
    ],
  },
  {
    file: 'apps/recorder/src/session/webhook-presence.ts',
    changes: [['DATABASE_TIMEOUT_MS = 500', 'DATABASE_TIMEOUT_MS = 501']],
  },
  {
    file: 'apps/recorder/src/slots/heartbeat.ts',
    changes: [['LAST_HEARTBEAT_MS = 1000', 'LAST_HEARTBEAT_MS = 1001']],
  },
  {
    file: 'packages/kit/src/clock.ts',
    changes: [
      ['    await pause(everyMs, signal);', '    await pause(2 * everyMs, signal);'],
      ['    clearTimeout(timer);\n    signal.', '    signal.'],
      ['  }, timeoutMs);', '  }, timeoutMs + 1);'],
    ],
  },
];
