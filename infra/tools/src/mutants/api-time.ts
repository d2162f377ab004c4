import type { MutatedFile } from '../mutant.ts';

/** Faults of a millisecond, or of one period, that only tests in virtual time notice. */
export const apiTime: readonly MutatedFile[] = [
  {
    file: 'apps/api/src/background/background-lease.ts',
    changes: [
      ['began + LEASE_MS - MARGIN_MS', 'performance.now() + LEASE_MS - MARGIN_MS'],
      ['MARGIN_MS = 3000', 'MARGIN_MS = 2999'],
      ['repeat(options.renewMs,', 'repeat(options.renewMs + 1,'],
    ],
  },
  {
    file: 'apps/api/src/background/housekeeping/housekeeping.ts',
    changes: [
      ['repeat(options.everyMs,', 'repeat(options.everyMs + 1,'],
      ['this.#failing.delete(name);', ''],
    ],
  },
  {
    file: 'apps/api/src/background/reconciler/reconciler.ts',
    tests: ['apps/api/src/background/reconciler/rounds.test.ts'],
    changes: [
      ['isStarting ? startingPollMs : pollMs', 'pollMs'],
      ['return retryMs;', 'return pollMs;'],
      [', restartInMs);', ');'],
      ['this.#logged.clear();', ''],
      ['if (this.#workloads === workloads) this.wake();', ''],
    ],
  },
  {
    file: 'apps/api/src/background/reconciler/supervised-agent.ts',
    changes: [
      ['} else if (this.#supervisedMs > this', '} else if (this.#supervisedMs >= this'],
      ['this.#runMs(row) <= maxDurationMs', 'this.#runMs(row) < maxDurationMs'],
    ],
  },
  {
    file: 'apps/api/src/background/reconciler/external-agent.ts',
    changes: [
      ['if (absentMs < externalGraceMs) return;', ''],
      ['if (waitedMs < externalWaitMs) return;', ''],
      ["if (row.status === 'Running') await this.#miss", 'if (false) await this.#miss'],
      ['await removeGhost(row, state.reason, this.#deps.rooms);', ''],
      ['this.#missedTexts.send(row, participant);', ''],
    ],
  },
  {
    file: 'apps/api/src/features/agents/agent-connection.ts',
    tests: ['apps/api/src/features/agents/create-agent-token.test.ts'],
    changes: [
      ['MEDIA_URL: media.publicUrl', 'MEDIA_URL: media.url'],
      ['...(conversation && { CONVERSATION: conversation }),', ''],
    ],
  },
  {
    file: 'apps/api/src/background/acting/acting-agents.ts',
    changes: [
      ['allowed.closeSession === true', 'true'],
      ['this.#positions.get(agentId) ?? createdAt', 'new Date().toISOString()'],
    ],
  },
  {
    file: 'apps/api/src/background/reconciler/agent-presence.ts',
    tests: ['apps/api/src/background/reconciler/supervised-agent.test.ts'],
    changes: [['>= limits.announceTimeoutMs', '> limits.announceTimeoutMs']],
  },
  {
    file: 'apps/api/src/background/reconciler/conversation/missed-texts.ts',
    changes: [
      ['[0, 500, 1500, 2500]', '[0, 500, 1500, 2501]'],
      ['CLOCK_SLACK_MS = 1000', 'CLOCK_SLACK_MS = 1001'],
    ],
  },
];
