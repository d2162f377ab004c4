import type { MutatedFile } from '../mutant.ts';

export const agentKit: readonly MutatedFile[] = [
  {
    file: 'packages/agent-kit/src/conversation/quiet-times.ts',
    changes: [
      ['this.#clock() >= this.#endsAt', 'this.#clock() > this.#endsAt'],
      ['now >= times.leave', 'now > times.leave'],
      ['now >= times.nudge', 'now > times.nudge'],
      ['this.#hasNudged = true;', ''],
      ['SPEECH_MS = 5000', 'SPEECH_MS = 10_000'],
      ['if (isPersonPresent) this.#activeAt = now;', ''],
    ],
  },
  {
    file: 'packages/agent-kit/src/conversation/conversing-agent.ts',
    tests: ['packages/agent-kit/src/conversation/ending.test.ts'],
    changes: [
      ['(await this.#areLastWords())', 'true'],
      ['delayMs === 0', 'true'],
    ],
  },
  {
    file: 'packages/agent-kit/src/conversation/handover.ts',
    tests: [
      'packages/agent-kit/src/conversation/handover-times.test.ts',
      'packages/agent-kit/src/conversation/handover.test.ts',
    ],
    changes: [
      ["this.#end('done');", "this.#end('expired');"],
      ['this.#open = undefined;', ''],
      ["if (state === 'requested') return;", ''],
      [
        '    this.#isTaken = true;\n    this.#options.operatorsChanged(true);',
        '    this.#isTaken = true;',
      ],
      ['ABSENCE_MS = 5000', 'ABSENCE_MS = 4000'],
      ['REPEAT_MS = 5000', 'REPEAT_MS = 6000'],
      ['if (isBack) operatorIsBack();', ''],
      ["if (limit.action !== 'wait') return limit;", "if (limit.action === 'retry') return limit;"],
      ['this.#isTaken || this.#request !== undefined', 'this.#request !== undefined'],
      ['this.#request?.event.id !== refusal.handover', 'this.#request === undefined'],
    ],
  },
  {
    file: 'packages/agent-kit/src/conversation/input/inbox.ts',
    tests: [
      'packages/agent-kit/src/conversation/handover.test.ts',
      'packages/agent-kit/src/conversation/input/inbox.test.ts',
    ],
    changes: [
      ['this.#options.isTaken() || ', ''],
      [" || isOperator({ identity: text.identity ?? '' })", ''],
    ],
  },
  {
    file: 'packages/agent-kit/src/late-senders.ts',
    changes: [
      ['WAIT_MS = 1000', 'WAIT_MS = 2000'],
      ['if (came.aborted) await pause(TOGETHER_MS, closing);', ''],
      ['people.length > 0 ? people : candidates', 'candidates'],
      ['this.#held.length > MAX_HELD', 'this.#held.length >= MAX_HELD'],
      ['isSure && this.#held.length === 0', 'isSure'],
      ['if (!this.#options.isSigned(packet)) return event;', ''],
    ],
  },
  {
    file: 'packages/agent-kit/src/user-texts.ts',
    changes: [
      ['if (this.#answered.has(message)) return undefined;', ''],
      ["|| role !== 'user' ", ''],
      [" || status !== 'complete'", ''],
      ['event.sender && !event.isSigned', 'false'],
      ['if (index >= 0) this.#nameless.splice(index, 1);', ''],
    ],
  },
  {
    file: 'packages/agent-kit/src/attend-room.ts',
    changes: [['if (isRefusedToken(error)) throw refusedToken(reason, isBack);', '']],
  },
];
