import type { MutatedFile } from '../mutant.ts';

const model = ['packages/client/src/timeline/timeline-model.test.ts'];
const timeline = [
  'packages/client/src/timeline/timeline.test.ts',
  'packages/client/src/timeline/timeline-windows.test.ts',
  ...model,
];
const conversation = [
  'conversation',
  'history-reader',
  'history-stream',
  'modes',
  'operator-words',
  'outbox',
  'outbox-outage',
  'page-state',
].map((name) => `packages/client/src/conversation/${name}.test.ts`);
const retries = ['packages/client/src/http/retries.test.ts'];
const token = ['packages/client/src/http/token.test.ts'];
const renewal = ['packages/client/src/http/token-renewal.test.ts'];

export const client: readonly MutatedFile[] = [
  {
    file: 'packages/client/src/timeline/catch-up.ts',
    tests: ['packages/client/src/timeline/catch-up.test.ts', ...timeline],
    changes: [
      ['asked.since > this.#since', 'asked.since >= this.#since'],
      ['if (nextSince > this.#since) this', 'this'],
      ['asked.losses !== this.#losses || ', ''],
    ],
  },
  {
    file: 'packages/client/src/timeline/ledger.ts',
    tests: timeline,
    changes: [
      ['if (isComplete(entry.stored)) {', 'if (false) {'],
      ['other.seen > entry.seen && row.timestamp > other.anchor', 'false'],
      ['other.seen > entry.seen && ', ''],
      ['if (head > entry.anchor) entry.anchor = head;', ''],
      ["known?.live?.stage === 'final' || ", ''],
      ['this.#renamed.set(entry, alias)', ''],
      ['alias === id && ', ''],
    ],
  },
  {
    file: 'packages/client/src/timeline/stored-row.ts',
    tests: timeline,
    changes: [['if (isComplete(held)) return false;', '']],
  },
  {
    file: 'packages/client/src/timeline/row-window.ts',
    tests: timeline,
    changes: [
      ['if (this.#entries[index] !== entry) this', 'this'],
      ['if (removed.length > 0) this.hasOlder = true;', ''],
      ['entry && timestampOf(entry) < timestamp', 'entry && timestampOf(entry) <= timestamp'],
      ['timestampOf(a) <= timestampOf(d)', 'timestampOf(a) < timestampOf(d)'],
    ],
  },
  {
    file: 'packages/client/src/timeline/snapshot.ts',
    tests: timeline,
    changes: [
      ['entry.anchor < timestamp', 'entry.anchor <= timestamp'],
      ['entry.isLate ? 1 : 0', '0'],
    ],
  },
  {
    file: 'packages/client/src/timeline/windows.ts',
    tests: timeline,
    changes: [
      ['generation === this.#generation', 'true'],
      ['timestamp <= since', 'timestamp < since'],
    ],
  },
  {
    file: 'packages/client/src/timeline/timeline.ts',
    tests: timeline,
    changes: [["row.role !== 'system' && ", '']],
  },
  // Edits that the model of the timeline must notice without other tests.
  {
    file: 'packages/client/src/timeline/stored-row.ts',
    tests: model,
    changes: [
      [
        'if (isComplete(held)) return false;',
        'if (isComplete(held)) return isComplete(row) || row.content !== held.content;',
      ],
      ['row.content.length > held.content.length', 'row.content.length < held.content.length'],
    ],
  },
  {
    file: 'packages/client/src/timeline/catch-up.ts',
    tests: model,
    changes: [[' || asked.since > this.#since', '']],
  },
  {
    file: 'packages/client/src/timeline/timeline.ts',
    tests: model,
    changes: [
      [
        'this.#catchUp.latest(asked, answer)',
        'this.#catchUp.latest(asked, { ...answer, nextSince: this.#windows.head || answer.nextSince })',
      ],
      ['if (this.#catchUp.hasBegun) return false;', ''],
    ],
  },
  {
    file: 'packages/client/src/timeline/row-window.ts',
    tests: model,
    changes: [['return this.hasOlder && this.oldest !== undefined && ', 'return false && ']],
  },
  {
    file: 'packages/client/src/timeline/windows.ts',
    tests: model,
    changes: [
      ["newest ? timestampOf(newest) : ''", "''"],
      ['this.#outdateAsks();\n    this.#ledger', 'this.#ledger'],
      ['this.#outdateAsks();\n    this.#live', 'this.#live'],
      [
        'this.#live.insert(entry);',
        'this.#live.insert(entry); else if (!this.#detached?.has(entry)) this.#ledger.forget(entry);',
      ],
      ['if (!rows.some(({ timestamp }) => timestamp <= since)) return false;', ''],
      ['rows.map((row) => this.place(row))', 'rows.map((row) => this.#ledger.learn(row))'],
    ],
  },
  {
    file: 'packages/client/src/timeline/ledger.ts',
    tests: model,
    changes: [
      ['if (isSpeaking(entry) && !isGoingOn', 'if (!isSpeaking(entry) && !isGoingOn'],
      ['if (isSpeaking(entry) && ', 'if (entry.live && !entry.stored && '],
      ['if (alias !== undefined) matches.push', 'if (alias === null) matches.push'],
      ['if (alias !== undefined) this.#renamed', 'if (alias === null) this.#renamed'],
      ['if (alias === id && ', 'if (alias === id && claim.sender !== null && '],
      [
        'isLate: true, item: undefined });\n      this.#loose.add(entry);',
        'isLate: true, item: undefined });',
      ],
      [' && !entry.isLate && !entry.own', ' && !entry.isLate'],
      ['if (isOwn || mayBeTranscribed)', 'if (mayBeTranscribed)'],
      ['if (isOwn || mayBeTranscribed)', 'if (isOwn)'],
    ],
  },
  {
    file: 'packages/client/src/http/retry.ts',
    tests: retries,
    changes: [
      ['BASE_MS = 500', 'BASE_MS = 1000'],
      ['(retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS', '(retryAfterMs ?? 0) >= MAX_RETRY_AFTER_MS'],
      ["return rule === 'always'", 'return true'],
      ['Math.max(backoff, ', 'Math.min(backoff, '],
      ['Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)', 'retryAfterMs'],
      ["status === 429 || code === 'overloaded'", "code === 'overloaded'"],
      [" || code === 'overloaded'", ''],
      ["rule === 'answered' && ", ''],
    ],
  },
  {
    file: 'packages/client/src/http/transport.ts',
    tests: [...retries, ...token, ...renewal],
    changes: [
      ['failures >= maxRetries', 'failures > maxRetries'],
      [' || userOf(next) !== userOf(token)', ''],
    ],
  },
  {
    file: 'packages/client/src/http/bearer.ts',
    tests: [...token, ...renewal],
    changes: [
      ['if (this.#replacement?.old !== old) {', '{'],
      ['if (next === old) next = undefined;', ''],
      [' || last !== this.#last', ''],
      ['await this.#renewal;', ''],
      ['if (this.#last !== old) return this.#last;', ''],
      ['new Date(exp * 1000)', 'new Date(exp)'],
      ['[sub, as]', '[sub]'],
      [", ['id']", ''],
    ],
  },
  {
    file: 'packages/client/src/http/server-events.ts',
    changes: [
      ["fields['id'] ?? id", "fields['id']"],
      ['\\r(?!$)', '\\r'],
    ],
  },
  {
    file: 'packages/client/src/resources/agent-log.ts',
    changes: [['number <= last', 'number < last']],
  },
  {
    file: 'packages/client/src/conversation/outbox.ts',
    tests: conversation,
    changes: [
      ["if (this.#find(id)?.state === 'unconfirmed') return 'unrecorded';", ''],
      ['sizeBytes(content) > MAX_CONTENT_BYTES', 'sizeBytes(content) >= MAX_CONTENT_BYTES'],
      ['if (await Promise.race([isStored, isFound, delivery.refusal])) return;', ''],
      ['if (this.#room()) this.#numbers', 'this.#numbers'],
      ['isOver = await Promise.race([back, isStored.then(() => true)])', 'isOver = true'],
      ['while (this.#isAway(delivery) && state.current.isOpen && !isOver)', 'while (false)'],
      [' || this.#isLost || this.#isAway(delivery))) {', ' || this.#isLost)) {'],
      [' || this.#isLost || this.#isAway(delivery))) {', ' || this.#isAway(delivery))) {'],
      ['this.#parts.state.current.mode !== mode || ', ''],
      ['content, participant, mode });', "content, participant, mode: 'operator' });"],
      [
        'participant: item.participant, mode }',
        "participant: item.participant, mode: 'operator' }",
      ],
      ['this.#isLost = signal.aborted && isUnreachable(answer);', 'this.#isLost = signal.aborted;'],
      [' || (signal.aborted && delivery.isTaken)', ''],
      ['.catch(() => turnBefore.then(limited))', ''],
      ['.catch(() => turnBefore.then(limited))', '.catch(limited)'],
      ['!(this.#isStored(delivery.id) || this.#isAway(delivery))', 'false'],
      ['this.#isStored(delivery.id) || this.#isAway(delivery)', 'this.#isStored(delivery.id)'],
    ],
  },
  {
    file: 'packages/client/src/conversation/conversation.ts',
    tests: conversation,
    changes: [
      ["if (mode !== 'operator') ", ''],
      [', participant, mode);', ', participant, this.#parts.state.current.mode);'],
    ],
  },
  {
    file: 'packages/client/src/conversation/history-reader.ts',
    tests: conversation,
    changes: [
      ['Date.parse(time) - 1', 'Date.parse(time)'],
      ['isUrgent ? 0 : timing.waitSeconds', 'timing.waitSeconds'],
      ['this.#isUrgent || !state.current.isOnline', 'this.#isUrgent'],
      ['!isUrgent && rowsBehind === 0', 'rowsBehind === 0'],
      ['failures = 0;\n        this.#failedStreams', 'this.#failedStreams'],
      ['2 ** Math.min(failures, 5)', '2'],
      ['if (items.length < arrived.length) timeline.reset();', ''],
      ['if (timeline.getSnapshot().catchingUp) return 0;', ''],
      ['if (failures === 0) await alarm.sleep(random() * timing.streamMs);', ''],
    ],
  },
  {
    file: 'packages/client/src/conversation/room-attendance.ts',
    tests: conversation,
    changes: [
      ['if (message.metadata.rawId === null) return;', ''],
      ["if (reason === 'DUPLICATE_IDENTITY') return true;", ''],
      ['if (!takesPart(this.#parts.state.current.mode)) this.setMode', 'this.setMode'],
    ],
  },
];
