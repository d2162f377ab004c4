import type { MutatedFile } from '../mutant.ts';

export const recorder: readonly MutatedFile[] = [
  {
    file: 'apps/recorder/src/session/presence.ts',
    changes: [
      ['isConnected && event.reason !== null', 'isConnected'],
      ['if (isConnected) this.#receiver', 'this.#receiver'],
      ['if (!this.#isInterrupted) void', 'void'],
      ['if (!stay) this.#endEarlierStays(event);', ''],
    ],
  },
  {
    file: 'apps/recorder/src/session/session-leadership.ts',
    changes: [
      [
        'leader.flushedAt < this.#connectedAt + CLOCK_SKEW_MS',
        'leader.flushedAt <= this.#connectedAt + CLOCK_SKEW_MS',
      ],
      [
        'leader.flushedAt < this.#connectedAt + CLOCK_SKEW_MS',
        'leader.flushedAt < this.#connectedAt + 2 * CLOCK_SKEW_MS',
      ],
      ['standbyAt ?? flushedAt) - KEPT_MS', 'standbyAt ?? flushedAt)'],
      ['Math.min(flushedAt, standbyAt ?? flushedAt)', 'flushedAt'],
      ['if (takingOver.signal.aborted) return;', ''],
      ['new Date(oldestKeptAt - KEPT_MS)', 'new Date(oldestKeptAt)'],
      ['at <= receivedAt', 'at < receivedAt'],
      ['return beganAt - CLOCK_SKEW_MS', 'return beganAt'],
      ['!this.#led.has(id)', 'true'],
    ],
  },
  {
    file: 'apps/recorder/src/session/kept-messages.ts',
    tests: [
      'apps/recorder/src/session/kept-messages.test.ts',
      'apps/recorder/src/session/session-leadership.test.ts',
    ],
    changes: [
      ['message.receivedAt >= at', 'message.receivedAt > at'],
      ['this.#kept.length > MAX_KEPT', 'this.#kept.length >= MAX_KEPT'],
      ['newest.receivedAt + 1', 'newest.receivedAt'],
      ['other.sizeBytes > most.sizeBytes', 'other.sizeBytes < most.sizeBytes'],
      ['this.#sizeBytes <= this.#limitBytes', 'this.#sizeBytes < this.#limitBytes'],
    ],
  },
  {
    file: 'apps/recorder/src/session/missing-messages.ts',
    tests: [
      'apps/recorder/src/session/missing-messages.test.ts',
      'apps/recorder/src/session/session-leadership.test.ts',
    ],
    changes: [
      ['laterMs >= -maxAgeMs', 'laterMs > -maxAgeMs'],
      ['RECEIVE_SKEW_MS = 5000', 'RECEIVE_SKEW_MS = 10_000'],
      ['rows.splice(distances.indexOf(nearest), 1);', ''],
      ['isBeforeStored && match', 'match'],
      ['rowAt > rowsAfter(', 'rowAt >= rowsAfter('],
    ],
  },
  {
    file: 'apps/recorder/src/session/interim-transcripts.ts',
    changes: [
      ['since + checkpointMs - message.receivedAt', 'checkpointMs'],
      ['this.#kept.size > MAX_KEPT', 'this.#kept.size >= MAX_KEPT'],
      ['Math.min(this.drop(message), wordsSince)', '(this.drop(message), wordsSince)'],
      ['Math.min(interimMs, ', '('],
    ],
  },
  {
    file: 'apps/recorder/src/session/session-recording.ts',
    tests: [
      'apps/recorder/src/session/interruption.test.ts',
      'apps/recorder/src/slots/open-words.test.ts',
    ],
    changes: [
      [" || this.state === 'reconnecting') return;", ') return;'],
      ['now - this.#deps.timing.checkpointMs', '0'],
    ],
  },
  {
    file: 'apps/recorder/src/session/session-events.ts',
    tests: ['apps/recorder/src/session/undecided-words.test.ts'],
    changes: [
      ['Math.min(since, this.#wordsSince.get(key) ?? since)', 'since'],
      ['...(isOlder && { since }), ', ''],
      ['this.#store(sent, Math.min(since, ', 'this.#store(sent, Math.max(since, '],
    ],
  },
  {
    file: 'apps/recorder/src/history/queued-message.ts',
    changes: [
      ['(queued.since ?? queued.receivedAt)', 'queued.receivedAt'],
      ['Math.min(oldest, sinceOf(queued))', 'Math.max(oldest, sinceOf(queued))'],
    ],
  },
  {
    file: 'apps/recorder/src/session/coverage.ts',
    changes: [
      ['Math.max(link.lastEventAt, now - this.#silenceMs)', 'link.lastEventAt'],
      ['joinedAt >= first.byServer', 'joinedAt > first.byServer'],
      ['Math.max(at + 1, now)', 'now'],
      ['Math.min(receivedUntil, unstoredSince)', 'receivedUntil'],
      ['isSeamless ? (this.#coveredUntil ?? now) : now', 'now'],
      ['Math.min(joinedAt - first.serverLeadMs, first.at)', 'joinedAt - first.serverLeadMs'],
      ['joinedAt - first.serverLeadMs', 'joinedAt'],
    ],
  },
  {
    file: 'apps/recorder/src/session/split-watch.ts',
    changes: [
      ['(joinedAt ?? now) - link.serverLeadMs', 'joinedAt ?? now'],
      ['Math.min(now, ...times)', 'Math.min(...times)'],
    ],
  },
  {
    file: 'apps/recorder/src/room/own-join.ts',
    changes: [
      ['joinedAt - from', 'joinedAt - to'],
      ['firstProofMs > TRUSTED_REPLAY_MS', 'true'],
    ],
  },
  {
    file: 'apps/recorder/src/session/event-order.ts',
    tests: [
      'apps/recorder/src/session/event-order.test.ts',
      'apps/recorder/src/session/event-order-wait.test.ts',
    ],
    changes: [
      ['STEPS = 5', 'STEPS = 10'],
      ['oldest.position < position && ', ''],
      ["hasWords = mayAnswer || type === 'text_stream'", 'hasWords = true'],
      ['mayAnswer: false, hasWords: false', 'mayAnswer: false, hasWords: true'],
    ],
  },
  {
    file: 'apps/recorder/src/session/sender-lookup.ts',
    changes: [
      ['announcedAt >= receivedAt', 'announcedAt > receivedAt'],
      ['joins.length === 1 && isFresh && ', 'joins.length === 1 && '],
      ["packet?.['missed'] !== true && ", ''],
      ['SURE_MS = 1000', 'SURE_MS = 2000'],
      ['!announced.has(identity) && !isHidden', '!announced.has(identity)'],
    ],
  },
  {
    file: 'apps/recorder/src/session/webhook-presence.ts',
    changes: [
      ['pause(this.#deps.leaveMs, ', 'pause(2 * this.#deps.leaveMs, '],
      ['isRecorder(event.participant) || ', ''],
      ['if (this.#activeSessions.has(sessionId)) return true;', ''],
    ],
  },
  {
    file: 'apps/recorder/src/session/omitted-checks.ts',
    changes: [['this.#omitted < MOST_OMITTED', 'this.#omitted <= MOST_OMITTED']],
  },
  {
    file: 'apps/recorder/src/room/repeated-packets.ts',
    changes: [
      ['receivedAt >= beganAt', 'receivedAt > beganAt'],
      ['event.receivedAt > until', 'event.receivedAt >= until'],
      ['if (match >= 0) unmatched.splice(match, 1);', ''],
      ['receivedAt >= packet.receivedAt - REMEMBERED_MS', 'receivedAt > packet.receivedAt'],
      ['isSameSender && left.digest', 'left.digest'],
    ],
  },
  {
    file: 'apps/recorder/src/room/left-rooms.ts',
    changes: [
      ['behind.length > 0 && ', ''],
      ['emptyLooks < EMPTY_LOOKS', 'emptyLooks <= EMPTY_LOOKS'],
      ['emptyLooks + 1 : 0', 'emptyLooks + 1 : emptyLooks'],
    ],
  },
  {
    file: 'apps/recorder/src/slots/lost-time.ts',
    changes: [
      [
        'if (slots.hasUnwritten(sessionId)) throw slots.isDatabaseOk ? UNWRITTEN : DATABASE_AWAY;',
        '',
      ],
      ['slots.isDatabaseOk ? UNWRITTEN : DATABASE_AWAY', 'UNWRITTEN'],
      ['if (led && !isLeft) await cut(led, null);', ''],
      ['led && !isLeft', 'led'],
    ],
  },
  {
    file: 'apps/recorder/src/slots/spread-wake.ts',
    changes: [
      ['Math.max(spreadMs, restLeftMs)', 'spreadMs'],
      ['MOST_MS = 500', 'MOST_MS = 1000'],
      ['if (this.#timer) return;', ''],
    ],
  },
  {
    file: 'apps/recorder/src/slots/stored-progress.ts',
    tests: [
      'apps/recorder/src/slots/stored-progress.test.ts',
      'apps/recorder/src/slots/stored-progress-intervals.test.ts',
    ],
    changes: [
      ['now - at >= this.#timing.holdBackMs', 'now - at > this.#timing.holdBackMs'],
      ['isLate ? this.#updatedAt : now', 'now'],
      ['length > 0 && now', 'now'],
      ['at <= since && !isUnknown', 'at < since && !isUnknown'],
      ['at <= since && !isUnknown', 'at <= since'],
      ['isPassed || isOld(since) || undecided', 'isOld(since) || undecided'],
      ['?? Infinity) <= since', '?? Infinity) < since'],
      ['(isAlone && isOld(since))', 'false'],
      ['Math.min(interval.undecidedSince, since)', 'interval.undecidedSince'],
    ],
  },
  {
    file: 'apps/recorder/src/slots/claim.ts',
    changes: [
      ['held <= capacity', 'held < capacity'],
      ['held >= roomLimit', 'held > roomLimit'],
    ],
  },
  {
    file: 'apps/recorder/src/process/recorder-clock.ts',
    changes: [
      ['wallMs + roundTripMs / 2 - databaseNow', 'wallMs - databaseNow'],
      ['- roundTripMs / 2 <= TOLERATED_MS', '- roundTripMs / 2 < TOLERATED_MS'],
      ['sleptMs < SLEEP_MS', 'sleptMs <= SLEEP_MS'],
      ['other.roundTripMs < best.roundTripMs', 'other.roundTripMs > best.roundTripMs'],
      ['TOLERATED_MS = 500', 'TOLERATED_MS = 1000'],
      ['> WRONG_MS', '>= WRONG_MS'],
      ['if (this.#uptimeLeadMs !== uptimeLeadMs) return;', ''],
    ],
  },
  {
    file: 'apps/recorder/src/process/webhook-watch.ts',
    changes: [['>= PATIENCE_MS', '> PATIENCE_MS']],
  },
  {
    file: 'apps/recorder/src/process/limits.ts',
    changes: [
      ['Math.floor(constrained * MEMORY_SHARE)', 'constrained'],
      ['Math.max(capacity, Math.min(byFiles, byMemory))', 'Math.min(byFiles, byMemory)'],
    ],
  },
  {
    file: 'apps/recorder/src/history/message-queue.ts',
    changes: [
      ['index === count ||', 'index === count + 1 ||'],
      ['sum > bytes', 'sum >= bytes'],
      ['this.#waiting.unshift(...waiting)', 'this.#waiting.push(...waiting)'],
      ['this.#limitBytes * (1 - SHED_SHARE)', 'this.#limitBytes'],
    ],
  },
  {
    file: 'apps/recorder/src/history/spool-replay.ts',
    changes: [['late?.answer ?? storeBesideLanes', 'storeBesideLanes']],
  },
  {
    file: 'apps/recorder/src/history/spool/spool.ts',
    changes: [['if (lentCount > 0) this.#lent = lentCount;', '']],
  },
  {
    file: 'apps/recorder/src/history/lanes/lane-messages.ts',
    tests: ['apps/recorder/src/history/lane-messages.test.ts'],
    changes: [['settle(this.#lent.slice(0, count))', 'settle([])']],
  },
  {
    file: 'apps/recorder/src/history/flush-pause.ts',
    changes: [['MS_PER_MESSAGE = 4', 'MS_PER_MESSAGE = 8']],
  },
];
