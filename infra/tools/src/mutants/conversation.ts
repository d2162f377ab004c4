import type { MutatedFile } from '../mutant.ts';

const inFolder = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `packages/conversation/src/${folder}/${name}.test.ts`);
const model = inFolder('model', 'model-client', 'model-failure', 'model-stream', 'model-timers');
const plan = inFolder('plan', 'plan-machine', 'plan-restart', 'stored-events');
const history = inFolder('prompt', 'history');
const mcp = inFolder('tools/mcp', 'mcp-servers', 'hostile-servers', 'costly-answers');
const turn = inFolder('turn', 'conversation', 'failed-turn', 'failure-sentence', 'own-tools');
const stored = inFolder('turn', 'stored-conversation');

export const conversation: readonly MutatedFile[] = [
  {
    file: 'packages/conversation/src/model/retries.ts',
    tests: model,
    changes: [
      ['BUSY_LIMIT_MS = 30_000', 'BUSY_LIMIT_MS = 60_000'],
      ['retryAfterMs ?? standardMs', 'standardMs'],
      ['isBusy && !this.#failures.has(kind)', 'isBusy'],
    ],
  },
  {
    file: 'packages/conversation/src/model/model-failure.ts',
    tests: model,
    changes: [
      ['Math.max(0, date - now)', 'date - now'],
      ['Number(header) * 1000', 'Number(header)'],
    ],
  },
  {
    file: 'packages/conversation/src/model/silence-timer.ts',
    tests: ['packages/conversation/src/model/silence-timer.test.ts', ...model],
    changes: [
      ['this.#remainingMs -= performance.now() - began;', ''],
      ['this.#remainingMs = this.#idleMs;', ''],
      ['Math.max(0, this.#remainingMs)', 'Math.max(0, 2 * this.#remainingMs)'],
      ['Math.max(0, this.#remainingMs)', 'Math.max(0, this.#remainingMs) + 1'],
      ['clearTimeout(timer);', ''],
    ],
  },
  {
    file: 'packages/conversation/src/model/model-client.ts',
    tests: model,
    changes: [
      ['!(error instanceof ModelFailure) || hasSpoken', '!(error instanceof ModelFailure)'],
      ['if (delta.hasToken) timer.reset();', 'timer.reset();'],
      ['if (answer.isFull) break;', ''],
    ],
  },
  {
    file: 'packages/conversation/src/model/answer-events.ts',
    tests: model,
    changes: [
      ['sizeBytes > maxBytes', 'false'],
      ['hasEnded ||= delta.finishReason !== undefined;', 'hasEnded = true;'],
    ],
  },
  {
    file: 'packages/conversation/src/model/tool-call-parts.ts',
    changes: [
      ['index === undefined || call.index === index', 'true'],
      ["id !== '' && !ids.has(id)", "id !== ''"],
    ],
  },
  {
    file: 'packages/conversation/src/tools/mcp/mcp-fetch.ts',
    tests: mcp,
    changes: [
      ['owner?.signal ?? AbortSignal.timeout(timeoutMs)', 'AbortSignal.timeout(timeoutMs)'],
      ['owner?.fail(error);', ''],
      ['body !== undefined && asked === undefined', 'false'],
    ],
  },
  {
    file: 'packages/conversation/src/tools/mcp/answer-bounds.ts',
    tests: mcp,
    changes: [
      ['this.#fields > MAX_FIELDS', 'false'],
      ['if (LINE_ENDS.has(byte)) this.#isInString = false;\n    else if', 'if'],
      ['byte === QUOTE && !this.#isEscaped', 'byte === QUOTE'],
      ['byte === COLON && !this.#isInString', 'byte === COLON'],
      ['this.#sizeBytes > this.#maxBytes', 'false'],
      ['this.#first === OPENING_BRACKET', 'false'],
      ['this.#depth > MAX_DEPTH', 'false'],
      ['this.#isStream && this.#lineEnds > MAX_LINE_ENDS', 'false'],
    ],
  },
  {
    file: 'packages/conversation/src/tools/mcp/mcp-connection.ts',
    tests: mcp,
    changes: [
      ['const MAX_PAGES = 4;', 'const MAX_PAGES = 5;'],
      ['await transport.terminateSession()', 'await Promise.resolve()'],
    ],
  },
  {
    file: 'packages/conversation/src/tools/mcp/mcp-tool.ts',
    tests: mcp,
    changes: [
      ['mask.spansIn(json).length > 0', 'false'],
      ['!taken.has(plain)', 'true'],
    ],
  },
  {
    file: 'packages/conversation/src/tools/mcp/mcp-link.ts',
    tests: mcp,
    changes: [
      ['digest !== undefined && digest !== found.digest', 'false'],
      ['>= REREAD_MS', '> REREAD_MS'],
      ['if (!isUnknownSession(error)) throw error;', ''],
      ['if (!former || !(isReplaced || isLost(error))) throw error;', 'throw error;'],
      ['if (this.#connection !== connection) return await this.#list(limit);', ''],
    ],
  },
  {
    file: 'packages/conversation/src/plan/complete-step.ts',
    tests: plan,
    changes: [
      ['needed?.required && ', 'needed && '],
      ['if (asked !== active) return', 'if (!asked) return'],
    ],
  },
  {
    file: 'packages/conversation/src/plan/set-deliverable.ts',
    tests: plan,
    changes: [
      ['(before?.version ?? 0) + 1', '1'],
      ['before?.value === canonical.value', 'false'],
    ],
  },
  {
    file: 'packages/conversation/src/plan/reopen-step.ts',
    tests: plan,
    changes: [["step.state === 'active' ? { ...step, state: 'pending' } : step", 'step']],
  },
  {
    file: 'packages/conversation/src/plan/starting-state.ts',
    tests: plan,
    changes: [
      ['!found || canonical !== held.value', '!found'],
      ['active ? single : activateNext(single)', 'single'],
      ['isNewToRoom ? { ...state, revision: state.revision + 1 } : state', 'state'],
    ],
  },
  {
    file: 'packages/conversation/src/plan/canonical-value.ts',
    changes: [
      ['left > 12 || left === right', 'left > 12'],
      ['sizeInBytes(text) > MAX_VALUE_BYTES', 'sizeInBytes(text) >= MAX_VALUE_BYTES'],
    ],
  },
  {
    file: 'packages/conversation/src/prompt/history.ts',
    tests: history,
    changes: [
      ['remaining < 0 && index > 0', 'remaining < 0'],
      ['this.#speakers.size > 1', 'this.#speakers.size > 0'],
      ['COMPACT_FROM = 0.75', 'COMPACT_FROM = 1.5'],
      ['!oldest.includes(turn)', 'true'],
      ['{ ...entry, text, isInterrupted: true }', '{ ...entry, text }'],
    ],
  },
  {
    file: 'packages/conversation/src/prompt/history-entry.ts',
    tests: history,
    changes: [["text.replaceAll(LINE_END, '\\n  ')", 'text']],
  },
  {
    file: 'packages/conversation/src/prompt/speakers.ts',
    tests: history,
    changes: [
      ['MAX_NAME_LENGTH = 40', 'MAX_NAME_LENGTH = 41'],
      ['words.length > 0 && names.has(name.trim())', 'words.length > 0'],
      ['for (let number = 2; this.#isTaken(name); number += 1) name', 'if (!wanted) name'],
      ["identity === '' && wanted !== '' && this.#isTaken(wanted)", 'false'],
    ],
  },
  {
    file: 'packages/conversation/src/turn/call-budget.ts',
    changes: [
      ['now - time < MINUTE_MS', 'now - time <= MINUTE_MS'],
      ['MINUTE_MS = 60_000', 'MINUTE_MS = 120_000'],
      ['this.#calls.length >= MAX_CALLS_PER_MINUTE', 'this.#calls.length > MAX_CALLS_PER_MINUTE'],
      ['completionTokens >= this.#maxTokens', 'completionTokens > this.#maxTokens'],
    ],
  },
  {
    file: 'packages/conversation/src/turn/health.ts',
    tests: [...inFolder('turn', 'health'), ...turn],
    changes: [
      ['this.#refusals >= MAX_REFUSALS', 'this.#refusals > MAX_REFUSALS'],
      ['this.#refusals + 1 : 0', 'this.#refusals + 1 : this.#refusals'],
      ['if (this.#reason === reason) return [];', ''],
    ],
  },
  {
    file: 'packages/conversation/src/turn/model-rounds.ts',
    tests: turn,
    changes: [
      ['toolRounds < MAX_TOOL_ROUNDS', 'toolRounds <= MAX_TOOL_ROUNDS'],
      ['refusedRounds <= MAX_REPAIRS', 'refusedRounds < MAX_REPAIRS'],
    ],
  },
  {
    file: 'packages/conversation/src/turn/own-tools.ts',
    changes: [['MAX_REASON_LENGTH = 200', 'MAX_REASON_LENGTH = 201']],
  },
  {
    file: 'packages/conversation/src/turn/said-order.ts',
    tests: [...inFolder('turn', 'said-order'), ...stored],
    changes: [
      ['> TOGETHER_MS', '>= TOGETHER_MS'],
      ['TOGETHER_MS = 350', 'TOGETHER_MS = 700'],
      ["line.role === 'assistant' && line.interrupted", "line.role === 'assistant'"],
    ],
  },
  {
    file: 'packages/conversation/src/turn/stored-conversation.ts',
    tests: stored,
    changes: [['lines.slice(0, lastAnswer + 1)', 'lines.slice(0, lastAnswer)']],
  },
  {
    file: 'packages/conversation/src/turn/turn-runner.ts',
    tests: turn,
    changes: [
      ['SENTENCE_MS = 10_000', 'SENTENCE_MS = 20_000'],
      ['if (turn.hasSpoken) this.#owedSince = undefined;', ''],
      ['if (needsApology || turn.hasSpoken) yield', 'yield'],
      ["turn.isAnswered || turn.act?.kind === 'handover' ? turn.act : undefined", 'turn.act'],
      ["turn.isAnswered || turn.act?.kind === 'handover'", 'turn.isAnswered'],
    ],
  },
  {
    file: 'packages/conversation/src/settings/read-settings.ts',
    tests: inFolder('settings', 'settings'),
    changes: [
      ['OUTPUT_TOKENS * 2 <= values', 'OUTPUT_TOKENS * 2 < values'],
      ['values.TURN_MIN_MS <= values.TURN_MAX_MS', 'values.TURN_MIN_MS < values.TURN_MAX_MS'],
    ],
  },
  {
    file: 'packages/conversation/src/settings/settings-of.ts',
    tests: inFolder('settings', 'settings'),
    changes: [
      ['isRealKey && isSameHost ?', 'isRealKey ?'],
      ['MINUTE_MS = 60_000', 'MINUTE_MS = 120_000'],
    ],
  },
  {
    file: 'packages/kit/src/link-local.ts',
    changes: [
      ["list.addSubnet('fe80::', 10, 'ipv6');", ''],
      ["list.addAddress('fd20:ce::254', 'ipv6');", ''],
    ],
  },
  {
    file: 'packages/kit/src/checked-lookup.ts',
    tests: ['packages/kit/src/link-local.test.ts'],
    changes: [["hostname.replace(/^\\[(.*)\\]$/, '$1')", 'hostname']],
  },
  {
    file: 'packages/conversation/src/model/fallback-model.ts',
    changes: [
      ['STAY_MS = 60_000', 'STAY_MS = 60_001'],
      ['hasSpoken || !isOfModel(error)', '!isOfModel(error)'],
      ["&& error.kind !== 'too_long'", ''],
      ['this.#until = Number.NEGATIVE_INFINITY;', ''],
    ],
  },
];
