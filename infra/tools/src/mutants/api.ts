import type { MutatedFile } from '../mutant.ts';

export const api: readonly MutatedFile[] = [
  {
    file: 'apps/api/src/http/callers/authentication.ts',
    tests: [
      'apps/api/src/route-permissions.test.ts',
      'apps/api/src/features/sessions/participant.test.ts',
    ],
    changes: [
      ['    if (route.people) throw', '    if (false) throw'],
      ['    assertOpen(request, caller);\n', ''],
      ['asked?.toLowerCase() === sessionId', 'asked !== undefined'],
      ["if (participant === 'self') return;", 'if (participant) return;'],
    ],
  },
  {
    file: 'apps/api/src/features/webhooks/webhook-event.ts',
    tests: ['apps/api/src/background/webhooks/webhook-types.test.ts'],
    changes: [["(content === 'full' && metadata && { metadata })", '(metadata && { metadata })']],
  },
  {
    file: 'apps/api/src/mail/mailer.ts',
    changes: [
      ['if (isLast || isFinal(error)) {', 'if (isLast) {'],
      ["requireTLS: new URL(smtpUrl).password !== ''", 'requireTLS: false'],
      ['mail ??= await compose();', 'mail = await compose();'],
      ['>= WAITING_MAILS', '> WAITING_MAILS'],
    ],
  },
  {
    file: 'apps/api/src/features/auth/reset-password.ts',
    changes: [
      [
        '    if (!(await db.findPasswordLink(reserved, secretHash))) return',
        '    if (false) return',
      ],
      ['    endedTokens.note(user.id, user.tokenVersion);\n', ''],
    ],
  },
  {
    file: 'apps/api/src/features/auth/account-of-person.ts',
    tests: ['apps/api/src/features/auth/finish-provider-sign-in.test.ts'],
    changes: [
      ['if (email === undefined) throw', 'if (false) throw'],
      ['(await create()) ?? (await find())', '(await create())'],
    ],
  },
  {
    file: 'apps/api/src/features/auth/sign-in-handle.ts',
    tests: ['apps/api/src/features/auth/finish-provider-sign-in.test.ts'],
    changes: [['now() >= data.expiresAt', 'now() > data.expiresAt']],
  },
  {
    file: 'apps/api/src/features/auth/identity-provider.ts',
    tests: [
      'apps/api/src/features/auth/finish-provider-sign-in.test.ts',
      'apps/api/src/features/auth/identity-provider.test.ts',
    ],
    changes: [
      ["about['email_verified'] === true ? email : undefined", 'email'],
      ['this.#now() >= kept.until', 'this.#now() > kept.until'],
    ],
  },
  {
    file: 'apps/api/src/http/callers/known-secrets.ts',
    changes: [
      ['this.#now() - TRUSTED_MS', 'this.#now() - 2 * TRUSTED_MS'],
      ['|| !timingSafeEqual(secret.secretHash, key.secretHash)', ''],
      ['    this.#looks.delete(id);\n    this.#looks.set', '    this.#looks.set'],
    ],
  },
  {
    file: 'apps/api/src/http/callers/api-key-text.ts',
    changes: [['checksum === checksumOf(signed)', 'checksum !== undefined']],
  },
  {
    file: 'apps/api/src/features/api-keys/rotate-api-key.ts',
    changes: [
      ["found?.key.role === 'ADMIN' ? 'issueAdminKey' : 'manageApiKeys'", "'manageApiKeys'"],
    ],
  },
  {
    file: 'apps/api/src/http/entity-tags.ts',
    changes: [
      ["!tags.includes('*') && ", ''],
      [".replace(/^W\\//, '')", ''],
      ['throw new AppError', 'void new AppError'],
    ],
  },
  {
    file: 'apps/api/src/http/callers/participant-tokens.ts',
    tests: ['apps/api/src/features/messages/history-since-join.test.ts'],
    changes: [['claims.from === undefined ? ', 'true ? ']],
  },
  {
    file: 'apps/api/src/features/sessions/get-session-state.ts',
    tests: ['apps/api/src/features/messages/history-since-join.test.ts'],
    changes: [['historyStartOf(request) !== null', 'false']],
  },
  {
    file: 'apps/api/src/features/sessions/create-session.ts',
    tests: ['apps/api/src/features/sessions/ready-session.test.ts'],
    changes: [
      ['if (wish) await', 'if (false) await'],
      ['index: String(index)', "index: '0'"],
      ['userId, method, headers, body }', 'userId, method, headers: {}, body }'],
      ['if (!(error instanceof AppError) || TEMPORARY.has(error.code)) throw', 'throw'],
    ],
  },
  {
    file: 'apps/api/src/features/sessions/issue-token.ts',
    tests: [
      'apps/api/src/features/api-keys/rotate-api-key.test.ts',
      'apps/api/src/features/sessions/participant.test.ts',
    ],
    changes: [
      ["if (status === 'CLOSED') throw", 'if (false) throw'],
      ["if (mode === 'join' && !caller.mayJoin) throw", 'if (false) throw'],
      ["if (participant && caller.kind !== 'key') await", 'if (false) await'],
      ['Math.min(wanted, leftSeconds)', 'wanted'],
      ['v: tokenVersion, ', 'v: 0, '],
    ],
  },
  {
    file: 'apps/api/src/http/callers/ended-tokens.ts',
    changes: [
      ['version >= (this.#ended', 'version > (this.#ended'],
      ['> this.#timing.staleMs', '>= this.#timing.staleMs'],
      ['version <= (this.#ended', 'version < (this.#ended'],
      ['this.#now() - ageSeconds * 1000', 'this.#now()'],
      ['    void this.#read();\n', ''],
      ['endedAt <= before', 'endedAt < before'],
    ],
  },
  {
    file: 'apps/api/src/http/plugins/long-requests.ts',
    changes: [['one.version < version', 'one.version <= version']],
  },
  {
    file: 'apps/api/src/permissions.ts',
    changes: [
      ['RANK[found.memberRole] < RANK[least]', 'RANK[found.memberRole] <= RANK[least]'],
      ['(isOwn && rule.leastForOwn) || rule.least', 'rule.leastForOwn ?? rule.least'],
      ["deleteSession: { least: 'ADMIN' }", "deleteSession: { least: 'MEMBER' }"],
      ["addLeader: { least: 'OWNER' }", "addLeader: { least: 'ADMIN' }"],
    ],
  },
  {
    file: 'packages/kit/src/rotating-queue.ts',
    changes: [
      ['this.#runningInAll < this.#limit', 'this.#runningInAll <= this.#limit'],
      ['ofOwner < this.#limitPerOwner', 'ofOwner <= this.#limitPerOwner'],
      ['this.#waiting.delete(owner);', ''],
    ],
  },
  {
    file: 'packages/kit/src/member-lookup.ts',
    changes: [
      ['LOOKUPS_PER_DOMAIN = 1', 'LOOKUPS_PER_DOMAIN = 2'],
      ['(?:ac|co|', '(?:ac|'],
      ['    if (isLate) return;\n', ''],
      ['.finally(() => pending.delete(key))', ''],
    ],
  },
  {
    file: 'apps/api/src/http/metrics/recent.ts',
    changes: [['< this.#maxAgeMs', '<= this.#maxAgeMs']],
  },
  {
    file: 'apps/api/src/background/reconciler/next-step.ts',
    changes: [
      ['(row.restartInMs ?? 0) > 0', '(row.restartInMs ?? 0) >= 0'],
      ['isStartDue = state.reason === null && ', 'isStartDue = '],
      ['> restarts', '>= restarts'],
      ['&& !isUnobserved', ''],
    ],
  },
  {
    file: 'apps/api/src/background/reconciler/line-mask.ts',
    changes: [
      ['reaching && !isEnd ? reaching.end - nextStart : 0', '0'],
      ["if (!isCut) this.#text += '\\n';", "this.#text += '\\n';"],
    ],
  },
  {
    file: 'apps/api/src/background/reconciler/conversation/missed-texts.ts',
    changes: [
      ['readyAt + CLOCK_SLACK_MS', 'readyAt'],
      ['failure = undefined;', ''],
      ['missedSince: after', 'createdAt: after'],
    ],
  },
  {
    file: 'apps/api/src/features/messages/reads-in-turn.ts',
    tests: ['apps/api/src/features/messages/held-reads.test.ts'],
    changes: [['await reading;', 'await answer.promise;']],
  },
  {
    file: 'apps/api/src/features/messages/waiting-readers.ts',
    changes: [
      ['reader.until <= now', 'reader.until < now'],
      ['head > reader.empty.lastAt', 'head >= reader.empty.lastAt'],
      ['isNothing && !reader.events', 'isNothing'],
      ['one.userId === userId', 'true'],
      ['now + MEMBERS_EVERY_MS', 'now + 1 + MEMBERS_EVERY_MS'],
    ],
  },
  {
    file: 'apps/api/src/background/background-lease.ts',
    changes: [['began + LEASE_MS - MARGIN_MS', 'began + LEASE_MS']],
  },
  {
    file: 'apps/api/src/background/shutdown-budget.ts',
    changes: [['this.#remainingMs - (performance.now() - began)', 'this.#remainingMs']],
  },
];
