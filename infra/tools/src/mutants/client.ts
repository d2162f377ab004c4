import type { MutatedFile } from '../mutant.ts';

const timeline = ['timeline', 'timeline-model', 'timeline-windows'].map(
  (name) => `packages/client/src/timeline/${name}.test.ts`,
);
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
      ['if (isComplete(entry.stored)) forgetUnstored(entry);', ''],
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
      ['while (this.#isAway() && state.current.isOpen && !isOver)', 'while (false)'],
      [' || this.#isLost || this.#isAway())) {', ' || this.#isLost)) {'],
      [' || this.#isLost || this.#isAway())) {', ' || this.#isAway())) {'],
      ['this.#isLost = signal.aborted && isUnreachable(answer);', 'this.#isLost = signal.aborted;'],
      [' || (signal.aborted && delivery.isTaken)', ''],
      ['.catch(() => turnBefore.then(limited))', ''],
      ['.catch(() => turnBefore.then(limited))', '.catch(limited)'],
      ['if (!this.#isStored(delivery.id)) this.#send(delivery);', ''],
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
