import type { MutatedFile } from '../mutant.ts';

export const agents: readonly MutatedFile[] = [
  {
    file: 'packages/agents/src/agent-status.ts',
    changes: [
      ["if (state.status === 'Stopped') return state;", ''],
      ['state.reason ?? reason', 'reason'],
      ['state.detail ?? detail', 'detail'],
      ["if (exitCode === 0) return 'completed';", ''],
      ['isRefused && state.reason === null', 'isRefused'],
    ],
  },
  {
    file: 'packages/agents/src/restart-policy.ts',
    changes: [
      ['msAgo < WINDOW_MS', 'msAgo <= WINDOW_MS'],
      ['WINDOW_MS = 600_000', 'WINDOW_MS = 1_200_000'],
      ['[500, 2000, 8000]', '[500, 2000, 16000]'],
      ["policy === 'never' || ", ''],
      ["'crashed', 'evicted', 'lost'", "'crashed', 'lost'"],
      ['restarts === 0 ? agentId', 'restarts < 0 ? agentId'],
    ],
  },
  {
    file: 'packages/agents/src/line-splitter.ts',
    changes: [
      ['this.#rest.length >= MAX_LINE_LENGTH', 'this.#rest.length > MAX_LINE_LENGTH'],
      ['/\\r?\\n/', '/\\n/'],
      ['this.#split(this.#decoder.end())', '[]'],
    ],
  },
  {
    file: 'packages/agents/src/log-buffer.ts',
    changes: [
      ['Math.max(Date.now() * 1000, this.#lastAt + 1)', 'Date.now() * 1000'],
      ['line.at > since', 'line.at >= since'],
      ['this.#lines.length - MAX_LINES', 'this.#lines.length - MAX_LINES - 1'],
      ['this.#droppedCount += count;', ''],
    ],
  },
  {
    file: 'packages/agents/src/memory.ts',
    changes: [
      ['Mi: 2 ** 20', 'Mi: 2 ** 10'],
      ['childSizes.reduce((sum, size) => sum + size, ownSize)', 'ownSize'],
    ],
  },
  {
    file: 'packages/agents/src/agent-variable.ts',
    changes: [
      ['if (!variable) return true;', 'if (!variable) return false;'],
      [
        '!KEY_WORDS.includes(value) : CREDENTIALS.test(value)',
        '!KEY_WORDS.includes(value) : false',
      ],
    ],
  },
  {
    file: 'packages/agents/src/agent-process.ts',
    tests: ['agent-process', 'process-launcher'].map(
      (name) => `packages/agents/src/${name}.test.ts`,
    ),
    changes: [
      ['128 + constants.signals[signal]', 'constants.signals[signal]'],
      ["if (!this.#isStopping) this.#cause ??= 'evicted';", ''],
      ["this.#cause = 'out_of_memory';", ''],
    ],
  },
  {
    file: 'packages/agents/src/process-records.ts',
    changes: [
      ['mode: 0o600', 'mode: 0o644'],
      ['!records || (await isRunning(records.owner))', '!records'],
      ['if (!(await isRunning(identity))) return;', ''],
    ],
  },
  {
    file: 'packages/agents/src/process-launcher.ts',
    changes: [
      ['if (existing) return void (await existing.process);', ''],
      ['...pick(templateVariables, catalogued)', '...templateVariables'],
    ],
  },
  {
    file: 'packages/agents/src/proxy-variables.ts',
    changes: [['[password, decoded(password)]', '[password]']],
  },
];
